"""An interrupted training run on several ranks resumes with identical results."""

import random
import shutil

import numpy as np
import pytest

from opforge.checkpoint import CheckpointManager

_EPOCHS, _STEPS = 2, 6

# Logs the loss of each step. With random numbers, each rank augments its samples and applies
# dropout with different numbers. A rank kills itself with SIGKILL: the first one before one of its
# file operations, the others before a step.
_TRAIN = """
import random, signal
from opforge.checkpoint import ResumableLoader

rank, size = mpi.rank(), mpi.size()
left = KILL if rank == VICTIM else 0

def count():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def watch(event, arguments):
    if event in OPERATIONS and arguments and str(arguments[0]).startswith(FOLDER):
        count()

OPERATIONS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.listdir"}
if rank == 0:
    sys.addaudithook(watch)

def jittered(x, y):
    return (x + nd.random.normal(0, 0.1, shape=(6,)) if DRAWS else x), y

mx.random.seed(5)
net = gluon.nn.HybridSequential(prefix="net_")
with net.name_scope():
    net.add(gluon.nn.Dense(5, in_units=6, activation="relu"))
    if DRAWS:
        net.add(gluon.nn.Dropout(0.5))
    net.add(gluon.nn.Dense(1, in_units=5))
net.initialize()
net.hybridize()
mx.random.seed(100 + rank)
x = np.random.RandomState(0).normal(size=(36, 6)).astype("float32")
data = gluon.data.ArrayDataset(nd.array(x), nd.array(x.sum(1))).transform(jittered)
sampler = mpi.split_sampler(36, seed=2)
share = 12 // size
batches = ResumableLoader(gluon.data.DataLoader(data, share, sampler=sampler))
options = {"learning_rate": 0.05, "momentum": 0.9}
trainer = mpi.DistributedTrainer(net.collect_params(), "sgd", options)
manager = mpi.CheckpointManager(FOLDER, net=net, trainer=trainer, batches=batches)
found = manager.restore()
step, begin = (found.step, found.values["epoch"]) if found else (0, 0)
for epoch in range(begin, EPOCHS):
    sampler.epoch = epoch
    for x, y in batches:
        with autograd.record():
            loss = gluon.loss.L2Loss()(net(x), y)
        loss.backward()
        trainer.step(share)
        step += 1
        if rank:
            count()
        say(**{str(step): float(loss.mean().asscalar()).hex()})
        manager.save(step, epoch=epoch)
        if step == STOP:
            sys.exit()
manager.wait()
"""


@pytest.fixture
def train(ranks, tmp_path):
    """Return a function that trains and returns the losses of each rank by step, and the run."""

    def run(count, folder="checkpoints", victim=0, kill=0, draws=True, stop=0):
        folder = tmp_path / "saved" / folder
        facts = f"FOLDER, EPOCHS, DRAWS, STOP = {str(folder)!r}, {_EPOCHS}, {draws}, {stop}\n"
        facts += f"VICTIM, KILL = {victim}, {kill}\n"
        found = ranks(count, facts + _TRAIN, status=None if kill else 0)
        if found.status:
            assert "Traceback" not in found.printed, found.printed
        return found, folder

    (tmp_path / "saved").mkdir()
    return run


def test_killed_runs_resume_with_the_same_numbers(train, stress):
    """SIGKILL of either rank at random moments, 50 times with ``--stress 20``."""
    whole = train(2, "whole")[0].said
    assert [len(one) for one in whole] == [_STEPS] * 2 and whole[0] != whole[1]
    numbers = random.Random(7)
    kills, wanted = 0, 1 if stress == 1 else 50
    while True:
        victim = kills % 2
        kill = numbers.randrange(1, 3 if victim else 100) if kills < wanted else 0
        run, folder = train(2, victim=victim, kill=kill)
        kills += run.status != 0
        for said, expected in zip(run.said, whole, strict=True):
            assert said.items() <= expected.items()
        if run.status == 0:
            if kills == wanted:
                return
            shutil.rmtree(folder)  # start over


def test_resuming_with_another_number_of_ranks_agrees_within_rounding(train):
    train(2, draws=False, stop=2)
    run, _ = train(3, draws=False)
    assert run.printed.count("continuing with 3 ranks a checkpoint saved by 2") == 1
    [whole] = train(1, "whole", draws=False)[0].said
    assert [len(said) for said in run.said] == [_STEPS - 2] * 3
    for step in range(3, _STEPS + 1):
        mean = np.mean([float.fromhex(said[str(step)]) for said in run.said])
        np.testing.assert_allclose(mean, float.fromhex(whole[str(step)]), rtol=1e-5)


_INTERRUPTED = """
import signal
weight = gluon.Parameter("weight", shape=(1000,))
weight.initialize()
trainer = mpi.DistributedTrainer([weight], "adam")
manager = mpi.CheckpointManager(FOLDER, trainer=trainer)
step = 0
while True:
    with autograd.record():
        loss = weight.data().sum()
    loss.backward()
    trainer.step(1)
    step += 1
    manager.save(step)
    if step == 3 and mpi.rank() == 0:
        with open(f"/proc/{os.getppid()}/stat") as file:
            mpiexec = int(file.read().rpartition(")")[2].split()[1])
        os.kill(mpiexec, signal.SIGINT)
"""


def test_an_interrupt_of_mpiexec_leaves_a_checkpoint(ranks, tmp_path):
    folder = tmp_path / "saved"
    folder.mkdir()
    run = ranks(2, f"FOLDER = {str(folder)!r}\n{_INTERRUPTED}", status=None)
    assert run.status != 0
    assert "Ctrl-C" in run.printed and "interrupt" in run.printed.lower()
    assert CheckpointManager(folder).restore().step >= 2  # the third may not be complete


_MISSING = """
first = mpi.CheckpointManager(FOLDER, keep=0)
first.save(3)
first.wait()
class Place:
    def state_dict(self): return {}
    def load_state_dict(self, state): pass
try:
    mpi.CheckpointManager(FOLDER, place=Place()).restore()
except RuntimeError as error:
    say(error=str(error))
"""


def test_missing_components_are_named(ranks, tmp_path):
    program = f"FOLDER = {str(tmp_path / 'saved')!r}\n{_MISSING}"
    (tmp_path / "saved").mkdir()
    [said] = ranks(1, program).said
    assert "the checkpoint has no place; for each rank it has nothing" in said["error"]
