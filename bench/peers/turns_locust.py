"""Locust (FastHttpUser): a fresh body and a parsed reply for every turn."""

import json
import os

from locust import FastHttpUser, task

template = json.loads(os.environ["BENCH_BODY"])
headers = {"Content-Type": "application/json", "Authorization": "Bearer bench-key"}


class Talker(FastHttpUser):
    insecure = True
    turn = 0

    @task
    def speak(self):
        self.turn += 1
        order = f"ORD-{self.turn}"
        body = {
            **template,
            "message": f"Where is order {order}? It should have come days ago.",
            "variableValues": {"customerName": "Ada", "orderNumber": order},
        }
        with self.client.post(
            "/api/developer/chat/messages", json=body, headers=headers, catch_response=True
        ) as response:
            if response.json()["data"]["sessionId"] != template["sessionId"]:
                response.failure("another session")
