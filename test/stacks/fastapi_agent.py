"""An agent in Python behind FastAPI. OpenTelemetry's instrumentation forwards the trace: it reads `traceparent` from the
requests to FastAPI, and adds it to the calls of httpx2, which the package `openai` uses since version 3."""

import json
import os
import time
import uuid

import uvicorn
from fastapi import FastAPI
from openai import AsyncOpenAI
from opentelemetry import trace
from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor
from opentelemetry.instrumentation.httpx import HTTPX2ClientInstrumentor
from opentelemetry.sdk.trace import TracerProvider

trace.set_tracer_provider(TracerProvider())
HTTPX2ClientInstrumentor().instrument()
app = FastAPI()
FastAPIInstrumentor.instrument_app(app)
client = AsyncOpenAI(api_key=os.environ.get("OPENAI_API_KEY", "none"))

parameters = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}
tools = [
    {
        "type": "function",
        "function": {"name": "find_order", "description": "Finds an order by its number.", "parameters": parameters},
    }
]


async def answer(messages):
    """Calls the model until it calls no more tools."""
    conversation = list(messages)
    while True:
        completion = await client.chat.completions.create(model="gpt-5-mini", messages=conversation, tools=tools)
        message = completion.choices[0].message
        conversation.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            order = json.loads(call.function.arguments)["order"]
            text = f"Order {order} left the warehouse today."
            conversation.append({"role": "tool", "tool_call_id": call.id, "content": text})


@app.post("/v1/chat/completions")
async def complete(body: dict):
    message = {"role": "assistant", "content": await answer(body["messages"])}
    return {
        "id": f"chatcmpl-{uuid.uuid4()}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": "assistant",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
