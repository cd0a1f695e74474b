"""LiteLLM's proxy with mock replies. `GET /served` returns the number of messages in each request that it logged."""

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_MASTER_KEY"] = "sk-test-only-key-of-a-mock-proxy-0123456789"
os.environ["CONFIG_FILE_PATH"] = os.path.join(os.path.dirname(__file__), "litellm.yaml")

import litellm
import uvicorn
from litellm.integrations.custom_logger import CustomLogger
from litellm.proxy.proxy_server import app

served = []


class Ledger(CustomLogger):
    async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
        served.append(len(kwargs["messages"]))


litellm.callbacks = [Ledger()]


@app.get("/served")
def list_served():
    return served


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
