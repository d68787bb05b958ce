"""An interrupt ends a party, whatever it waits for, and its peer."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import textwrap
import threading
import time

import hushtable as ht
import pytest

INTERRUPTED = textwrap.dedent(
    """
    import sys, threading, time
    import numpy as np
    import hushtable as ht

    def running_when_in(call):
        main, soon = threading.main_thread().ident, threading.Event()
        while sys._current_frames()[main].f_code.co_name != call:
            soon.wait(0.01)
        print("running\\n", end="", flush=True)

    def say_when_in(call):
        threading.Thread(target=running_when_in, args=(call,), daemon=True).start()

    def party(p):
        print("running\\n", end="", flush=True)
        while True:
            p.open(ht.sigmoid(p.share(np.zeros(100_000))))

    def waiting(p):
        print("running\\n", end="", flush=True)
        if p.role == 0:
            p.open(p.share(np.zeros(3)))   # the peer never comes
        else:
            time.sleep(1000)

    def alone(address):
        say_when_in("connect")
        ht.connect(address, insecure_plain_tcp=True)

    def with_peer():
        with ht.connect(sys.argv[2], insecure_plain_tcp=True, idle=20) as p:
            say_when_in("barrier")
            p.barrier()   # the peer never comes

    try:
        {
            "threads": lambda: ht.run_pair(party),
            "processes": lambda: ht.run_pair(party, processes=True),
            "waiting": lambda: ht.run_pair(waiting),
            "alone": lambda: alone("127.0.0.1:9"),
            "peer": with_peer,
        }[sys.argv[1]]()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.stdin.read()   # a party that is over is not the end of its process
    """
)


def interrupt(path, *args, then=lambda: None):
    """Runs the script, interrupts it when it runs, and says what it took to end; `then` is called while it lives."""
    path.write_text(INTERRUPTED)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, path, *args], **pipes) as program:
        assert program.stdout.readline() == "running\n"
        start = time.monotonic()
        program.send_signal(signal.SIGINT)
        assert "interrupted\n" in iter(program.stdout.readline, "")
        then()
        program.stdin.close()
        program.stdout.read()
        assert program.wait(30) == 0
    return time.monotonic() - start


@pytest.mark.parametrize("where", ["threads", "processes", "waiting"])
def test_an_interrupt_ends_a_pair(tmp_path, where):
    assert interrupt(tmp_path / "a.py", where) < 5


def test_an_interrupt_while_connecting(tmp_path):
    assert interrupt(tmp_path / "a.py", "alone") < 5


def test_an_interrupt_ends_the_peer_too(tmp_path):
    addresses, interrupted, outcome = queue.Queue(), threading.Event(), []

    def serve():
        try:
            with ht.listen("127.0.0.1:0", insecure_plain_tcp=True, on_listening=addresses.put) as p:
                interrupted.wait(60)  # until then the script waits for this party, however slow either is
                while True:
                    p.barrier()
        except ht.HushtableError as error:
            outcome.append(error)

    server = threading.Thread(target=serve, daemon=True)
    server.start()

    def then():
        interrupted.set()
        server.join(10)
        assert [type(error) for error in outcome] == [ht.PeerError]

    assert interrupt(tmp_path / "a.py", "peer", addresses.get(timeout=60), then=then) < 5
