#!/usr/bin/env python3
"""Runs the executable models, each as a program of its own: it checks what it prints and ends with an error if it fails.

    run.py                all of them
    run.py lut fss/trig   those whose path has one of these words
    MODELS=full run.py    at the sizes that docs/spec quotes, which takes some minutes
"""
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
HELPERS = {"common.py"}


def run(path):
    start = time.monotonic()
    env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", OPENBLAS_NUM_THREADS="1")
    done = subprocess.run([sys.executable, path.name], cwd=path.parent, env=env, capture_output=True, text=True)
    return path.relative_to(HERE), done, time.monotonic() - start


def main():
    words = sys.argv[1:]
    models = [p for p in sorted(HERE.glob("*/*.py")) if p.name not in HELPERS]
    models = [p for p in models if not words or any(w in str(p.relative_to(HERE)) for w in words)]
    if not models:
        sys.exit(f"no model's path has {' or '.join(words)}")
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, done, seconds in pool.map(run, models):
            print(f"{'FAILED' if done.returncode else 'ok':6} {seconds:5.1f} s  {name}", flush=True)
            if words or done.returncode:
                print(done.stdout + done.stderr)
            if done.returncode:
                failed.append(str(name))
    if failed:
        sys.exit("models that failed: " + ", ".join(failed))
    print(f"{len(models)} models hold")


if __name__ == "__main__":
    main()
