"""Sends charts to browsers as server-sent events: board.py PORT EVENTS; prints `ready`."""
import asyncio, resource, sys
import orjson, zmq, zmq.asyncio
from aiohttp import web

PORT, EVENTS = int(sys.argv[1]), sys.argv[2]
watchers = set()


async def live(request):
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(b"event: hello\ndata: {}\n\n")
    queue = asyncio.Queue()
    watchers.add(queue)
    try:
        while True:
            text = await queue.get()
            while not queue.empty():
                text += queue.get_nowait()
            await response.write(text)
    finally:
        watchers.discard(queue)


async def main():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    application = web.Application()
    application.router.add_get("/live", live)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", PORT, backlog=2048).start()
    events = zmq.asyncio.Context().socket(zmq.SUB)
    events.subscribe("ranking.")
    events.connect(EVENTS)
    print("ready", flush=True)
    while True:
        topic, body = await events.recv_multipart()
        event = orjson.loads(body)
        text = b"id: %s\nevent: chart\ndata: %s\n\n" % (event["sequence"].encode(), orjson.dumps(event["data"]))
        for queue in watchers:
            queue.put_nowait(text)


asyncio.run(main())
