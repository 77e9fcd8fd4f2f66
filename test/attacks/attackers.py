"""What another user of the machine, or a careless program of the owner, does to a port of 127.0.0.1.

python3 -c THIS KIND PORT SECONDS COUNT [PATH]: prints `begun` when the load is on, and at the end what it saw, as JSON.
"""
import json
import os
import resource
import selectors
import socket
import struct
import sys
import time

KIND, PORT, SECONDS, COUNT = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
PATH = sys.argv[5] if len(sys.argv) > 5 else '/version'
GET = f'GET {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.encode()
SEEN = {'opened': 0, 'closed': 0, 'sent': 0, 'read': 0}
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def begun():
    print('begun', flush=True)
    return time.monotonic() + SECONDS


def connect():
    one = socket.create_connection(('127.0.0.1', PORT), timeout=20)
    SEEN['opened'] += 1
    return one


def table():
    """COUNT socket pairs of its own make the kernel's table long; then 45 requests a second, each on a new connection."""
    own = socket.socket()
    own.bind(('127.0.0.1', 0))
    own.listen(4096)
    keep = []
    for _ in range(COUNT):
        keep += [socket.create_connection(own.getsockname()), own.accept()[0]]
    live = []
    end = begun()
    while time.monotonic() < end:
        one = connect()
        try:
            one.sendall(GET)
        except OSError:
            SEEN['closed'] += 1
        live.append(one)
        time.sleep(0.02)
        if len(live) > 200:
            live.pop(0).close()


def pour(text, again=True):
    """COUNT connections that send as much as is taken and never read; again: those that are closed are opened again."""
    end = begun()
    poll = selectors.DefaultSelector()

    def open_one():
        one = connect()
        one.setblocking(False)
        poll.register(one, selectors.EVENT_WRITE)

    for _ in range(COUNT):
        open_one()
    while time.monotonic() < end:
        for key, _ in poll.select(0.1):
            try:
                SEEN['sent'] += key.fileobj.send(text)
            except BlockingIOError:
                pass
            except OSError:
                SEEN['closed'] += 1
                poll.unregister(key.fileobj)
                key.fileobj.close()
                if again:
                    open_one()


def dns():
    """Queries over TCP."""
    name = b''.join(bytes([len(part)]) + part for part in (b'a', b'muster', b'internal')) + b'\0'
    query = struct.pack('>6H', 1, 0x0100, 1, 0, 0, 0) + name + struct.pack('>2H', 1, 1)
    pour((struct.pack('>H', len(query)) + query) * 2000)


def hold(text):
    """COUNT connections that send `text` and wait; of those that are closed, some hundreds a second are opened again."""
    live = set()
    poll = selectors.DefaultSelector()

    def open_some(most):
        for _ in range(min(COUNT - len(live), most)):
            try:
                one = connect()
                one.sendall(text)
                one.setblocking(False)
                live.add(one)
                poll.register(one, selectors.EVENT_READ)
            except OSError:
                SEEN['closed'] += 1

    open_some(COUNT)
    end = begun()
    while time.monotonic() < end:
        for key, _ in poll.select(0):
            one = key.fileobj
            try:
                taken = one.recv(65536)
            except OSError:
                taken = b''
            SEEN['read'] += len(taken)
            if taken == b'':
                SEEN['closed'] += 1
                poll.unregister(one)
                live.remove(one)
                one.close()
        open_some(50)
        time.sleep(0.1)


def flood():
    """Connections as fast as they go, closed at once."""
    end = begun()
    while time.monotonic() < end:
        try:
            connect().close()
        except OSError:
            SEEN['closed'] += 1


KINDS = {
    'table': table,
    'dns': dns,
    'pipeline': lambda: pour(GET * 200),
    'pipeline-once': lambda: pour(GET * 200, again=False),
    'idle': lambda: hold(b''),
    'heads': lambda: hold(b'GET /version HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '),
    'bodies': lambda: hold(
        b'POST /apis/batch/v1/namespaces/default/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n'
        b'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n'
    ),
    'hold': lambda: hold(GET),
    'flood': flood,
}
KINDS[KIND]()
print(json.dumps(SEEN), flush=True)
os._exit(0)
