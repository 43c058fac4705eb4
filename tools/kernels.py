"""How kernels are started, wherever chapters are executed: by the book, by the tests, by tools/notebooks.py.

All are forked from one process that has imported what nearly every chapter imports: a new interpreter takes seconds for
that, for each chapter anew.
"""

import asyncio
import atexit
import functools
import importlib
import json
import os
import signal
import subprocess
import sys
from importlib.metadata import EntryPoint

import psutil
from jupyter_client import KernelManager
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

IMPORTED = "ipykernel.kernelapp sympy pandas scipy.optimize scipy.stats matplotlib.pyplot helpers.films helpers.claims"
ALONE = {"OMP_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}  # a fork keeps no other thread
QUICK = {"XLA_FLAGS": "--xla_backend_optimization_level=1 --xla_cpu_use_fusion_emitters=false"}  # JAX compiles sooner
INLINE = {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}  # which pyplot asks for when it is imported


class ForkedKernel(LocalProvisioner):
    """A kernel that serve() has forked."""

    async def launch_kernel(self, cmd, **kwargs):
        """Have it forked; the command is a new interpreter's, python -m ipykernel_launcher and its arguments."""
        asked = {"arguments": cmd[2:], "folder": str(kwargs["cwd"]), "environment": kwargs["env"]}
        server().stdin.write(json.dumps(asked) + "\n")
        server().stdin.flush()
        self.pid = self.pgid = int(server().stdout.readline())
        self.process = psutil.Process(self.pid)
        return self.connection_info

    async def poll(self):
        """None while it runs."""
        return None if self.process and self.process.is_running() else 0

    async def wait(self):
        """Return when it has ended."""
        while await self.poll() is None:
            await asyncio.sleep(0.1)
        self.process = None


@functools.cache
def server():
    """The process that forks kernels, and ends when its input does."""
    environment = ALONE | QUICK | os.environ | INLINE
    command = [sys.executable, "-P", __file__]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
    atexit.register(started.__exit__, None, None, None)  # closes its input, and waits
    return started


def serve():
    """For each line of input, fork a kernel, and print its process's number."""
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # with it a kernel ends; read when ipykernel is imported
    for module in IMPORTED.split():
        importlib.import_module(module)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they ended
    while line := sys.stdin.readline():
        if not (pid := os.fork()):
            become_kernel(**json.loads(line))
        print(pid, flush=True)


def become_kernel(arguments, folder, environment):
    """Be a kernel, as ipykernel_launcher would."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.chdir(folder)
    os.environ.update(environment | INLINE)
    sys.argv = arguments
    importlib.import_module("ipykernel.kernelapp").launch_new_instance()
    os._exit(0)


def prepare():
    """Have kernels forked from here on, and what is said to them encrypted: else each prints a warning."""
    KernelManager.transport_encryption.default_value = "auto"
    forked = EntryPoint("forked", "kernels:ForkedKernel", KernelProvisionerFactory.GROUP_NAME)
    KernelProvisionerFactory.instance(default_provisioner_name="forked").provisioners["forked"] = forked


if __name__ == "__main__":
    serve()
