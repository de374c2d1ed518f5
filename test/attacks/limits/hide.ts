import { shellCommand } from '../../../src/workspaces/quote.ts'
import { hasPython } from '../../box/reach.ts'
import type { Attack } from '../contract.ts'
import { type LimitsStage, needsBox, roomy } from './stage.ts'
import { attackOf, type Excess } from './use.ts'

/** Writes eight files of 20 MB that have no name any more, or that exist in memory only. */
const prelude = `
import ctypes, os, socket, struct, threading, time
libc = ctypes.CDLL(None, use_errno=True)
x64 = os.uname().machine == 'x86_64'
hold = int(os.environ['HOLD'])
kept = []
def write(file, megabytes):
    kept.append(file)
    for _ in range(megabytes): os.write(file, b'x' * 1_000_000)
def writeRemoved():
    for number in range(8):
        file = os.open(f'removed{number}', os.O_CREAT | os.O_RDWR)
        os.unlink(f'removed{number}')
        write(file, 20)
def writeMemory():
    for _ in range(10): write(os.memfd_create('memory'), 50)
def inThread(work):
    thread = threading.Thread(target=work)
    thread.start(); thread.join()
def unshareDescriptors(): libc.syscall(272 if x64 else 97, 0x400)
`

const python = (code: string, program = 'python3'): string => shellCommand([program, '-c', prelude + code])

const hidden: readonly Excess[] = [
  {
    name: 'keeps removed files open in a thread with descriptors of its own',
    limit: 'disk',
    script: python('inThread(lambda: (unshareDescriptors(), writeRemoved(), time.sleep(hold)))'),
  },
  {
    name: 'keeps removed files open in a thread that was made to close descriptors of its own',
    limit: 'disk',
    script: python('inThread(lambda: (libc.syscall(436, 1000, 2000, 2), writeRemoved(), time.sleep(hold)))'),
  },
  {
    name: 'keeps removed files open in a process whose first thread has exited',
    limit: 'disk',
    script: python(`
threading.Thread(target=lambda: (time.sleep(0.2), writeRemoved(), time.sleep(hold), os._exit(0))).start()
libc.syscall(60 if x64 else 93, 0)`),
  },
  {
    name: 'keeps removed files open in a process that cannot be dumped',
    limit: 'disk',
    script: python('libc.prctl(4, 0, 0, 0, 0); writeRemoved(); time.sleep(hold)'),
  },
  {
    name: 'keeps removed files open in a program that cannot be read',
    limit: 'disk',
    script: `cp "$(readlink -f /usr/bin/python3)" program; chmod 111 program; ${python('writeRemoved(); time.sleep(hold)', './program')}`,
  },
  {
    name: 'keeps removed files open behind more descriptors than are looked at',
    limit: 'files',
    script: `ulimit -n "$(ulimit -Hn)"; ${python(`
def fill():
    try:
        for _ in range(20_500): kept.append(os.open('/dev/null', os.O_RDONLY))
    except OSError: pass
child = os.fork()
if child == 0:
    time.sleep(hold / 4); writeRemoved(); time.sleep(hold); os._exit(0)
if os.fork() == 0: fill(); time.sleep(hold); os._exit(0)
fill(); os.waitpid(child, 0)`)}`,
  },
  {
    name: 'keeps memory in unnamed files of a process that cannot be dumped',
    limit: 'memory',
    script: python('libc.prctl(4, 0, 0, 0, 0); writeMemory(); time.sleep(hold)'),
  },
  {
    name: 'makes empty files in memory',
    limit: 'memory',
    isLong: true,
    script: python(`
for folder in range(300):
    os.mkdir(f'/tmp/{folder}')
    for number in range(1_000): os.close(os.open(f'/tmp/{folder}/{number}', os.O_CREAT))
time.sleep(hold)`),
  },
  {
    name: 'reads so much empty memory that its tables take what the memory would',
    limit: 'memory',
    script: python(`
libc.mmap.restype, size, step = ctypes.c_void_p, 250 << 30, 2 << 20
# PROT_READ; MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE; MADV_NOHUGEPAGE
start = libc.mmap(None, ctypes.c_size_t(size), 1, 0x4022, -1, ctypes.c_long(0))
libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), 15)
for at in range(start, start + size, step): ctypes.c_char.from_address(at).value
time.sleep(hold)`),
  },
  {
    name: 'moves its files to where the walk over the disk has been',
    limit: 'disk',
    isLong: true,
    script: python(`
names = [f'd{number}' for number in range(60)]
for name in names:
    os.mkdir(name)
    for number in range(20): open(f'{name}/{number}', 'w').close()
watch = libc.inotify_init1(0)
# IN_OPEN
watched = {libc.inotify_add_watch(watch, name.encode(), 0x20): name for name in names}
def opened():
    while True:
        events, at = os.read(watch, 65536), 0
        while at < len(events):
            number, _, _, length = struct.unpack_from('iIII', events, at)
            at += 16 + length
            yield watched[number]
walk, order = opened(), []
if hold == 0: order = names
while len(order) < 60:
    name = next(walk)
    if name not in order: order.append(name)
early, middle, late, end = order[10], order[20], order[40], order[55]
os.mkdir(f'{late}/big')
place = late
writer = os.fork()
if writer == 0:
    os.chdir(f'{late}/big')
    for number in range(8): write(os.open(f'{number}', os.O_CREAT | os.O_WRONLY), 20)
    time.sleep(2 * hold); os.kill(os.getppid(), 9); os._exit(0)
if hold == 0: os.waitpid(writer, 0); os._exit(0)
for name in walk:
    target = early if name == middle else late if name == end else place
    if target != place: os.rename(f'{place}/big', f'{target}/big')
    place = target`),
  },
]

/** Fills connections until one takes no more; prints the megabytes that wait in them. */
const queueing = shellCommand([
  'python3',
  '-c',
  `
import socket, time
server = socket.create_server(('127.0.0.1', 0), backlog=500)
kept, queued = [], 0
for _ in range(150):
    client = socket.create_connection(server.getsockname())
    kept += [client, server.accept()[0]]
    client.setblocking(False)
    try:
        while queued < 450_000_000: queued += client.send(bytes(1_000_000))
    except BlockingIOError: pass
print(queued // 1_000_000, flush=True)
time.sleep(3)`,
])

export const hideAttacks: readonly Attack<LimitsStage>[] = [
  ...hidden.map((each) => attackOf({ ...each, needsPython: true })),
  {
    name: 'keeps data in connections that nobody reads',
    control: async ({ run }) => Number((await run(queueing, roomy)).output) > 200,
    attack: async ({ run }) => {
      const { breach, output } = await run(queueing)
      return breach === undefined && !(Number(output) < 200)
    },
    skip: () => (hasPython ? needsBox() : 'python3 is not installed'),
  },
]
