-- wrk: one constant body, replies unread.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer bench-key"
wrk.body = os.getenv("BENCH_BODY")
