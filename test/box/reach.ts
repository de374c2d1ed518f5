import { spawnSync } from 'node:child_process'

import { shellCommand } from '../../src/workspaces/quote.ts'
import type { Attack } from './fixture.ts'

/**
 * Attacks on the process that tells the daemon how a command ended. In a box that is init, process 1; without a box they
 * hit a process of the same user with the same descriptors and no protection. System calls need python3 with ctypes,
 * which .ci/setup installs.
 */
const prelude = `
import ctypes, errno, os, signal, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def call(*numbers):
    ctypes.set_errno(0)
    result = libc.syscall(*[ctypes.c_long(each) if isinstance(each, int) else each for each in numbers])
    return result, ctypes.get_errno()
def breach(): print('BREACHED', flush=True)
def refused(code): print('refused:', errno.errorcode.get(code, code), flush=True)
def child():
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writer, 3); os.eventfd(0) if hasattr(os, 'eventfd') else None
        print('child', flush=True)
        time.sleep(20); os._exit(0)
    time.sleep(0.2)
    return pid
target = 1 if sys.argv[1] == 'boxed' else child()
x64 = os.uname().machine == 'x86_64'
def number(here, there): return here if x64 else there
`

const epilogue = `
if target != 1: os.kill(target, signal.SIGKILL)
`

const python = (code: string, boxed: boolean): string =>
  shellCommand(['python3', '-c', `${prelude}${code}${epilogue}`, boxed ? 'boxed' : 'control'])

export const hasPython = spawnSync('python3', ['-c', 'import ctypes']).status === 0

/** Returns why a system call cannot be tried on this machine: without a box it fails too. */
const needs =
  (code = '') =>
  (): string | null => {
    if (!hasPython) return 'python3 is not installed'
    const tried = spawnSync('python3', ['-c', `${prelude}${code}${epilogue}`, 'control'], { encoding: 'utf8' })
    return code === '' || tried.stdout.includes('BREACHED') ? null : `this machine cannot: ${tried.stdout.trim()}`
  }

const reach = (name: string, code: string): Attack => ({
  name,
  script: (_, boxed) => python(code, boxed),
  skip: needs(),
})

/** A part of the kernel that may be missing from this machine. */
const use = (name: string, code: string): Attack => ({ ...reach(name, code), skip: needs(code) })

export const reachAttacks: readonly Attack[] = [
  reach(
    'take a descriptor of the process that reports its exit',
    `
pidfd = os.pidfd_open(target)
for descriptor in range(10):
    result, code = call(438, pidfd, descriptor, 0)
    if result >= 0: breach(); break
else: refused(code)`,
  ),
  reach(
    'open a descriptor of the process that reports its exit',
    `
for descriptor in range(4):
    path = f'/proc/{target}/fd/{descriptor}'
    try: os.readlink(path); breach(); break
    except OSError as error: code = error.errno
    try: os.open(path, os.O_WRONLY | os.O_NONBLOCK); breach(); break
    except OSError as error: pass
else: refused(code)`,
  ),
  reach(
    'open the memory of the process that reports its exit',
    `
for mode in ('rb', 'rb+'):
    try: open(f'/proc/{target}/mem', mode, buffering=0); open(f'/proc/{target}/maps').read(); breach(); break
    except OSError as error: refused(error.errno)`,
  ),
  reach(
    'read the environment of the process that reports its exit',
    `
try: open(f'/proc/{target}/environ', 'rb').read(); breach()
except OSError as error: refused(error.errno)`,
  ),
  reach(
    'trace the process that reports its exit',
    `
for request in (16, 0x4206):
    result, code = call(number(101, 117), request, target, 0, 0)
    if result == 0: breach(); break
else: refused(code)`,
  ),
  ...(['read', 'write'] as const).map((verb, index) =>
    reach(
      `${verb} the memory of the process that reports its exit by system call`,
      `
local = ctypes.create_string_buffer(8)
one = ctypes.create_string_buffer(struct.pack('QQ', ctypes.addressof(local), 8))
other = ctypes.create_string_buffer(struct.pack('QQ', 4096, 8))
result, code = call(number(${310 + index}, ${270 + index}), target, one, 1, other, 1, 0)
# With the right to do it, only the address is wrong.
if result >= 0 or code == errno.EFAULT: breach()
else: refused(code)`,
    ),
  ),
  reach(
    'compare descriptors with the process that reports its exit',
    `
result, code = call(number(312, 272), os.getpid(), target, 0, 0, 0)
if result >= 0: breach()
else: refused(code)`,
  ),
  reach(
    'take the event descriptor by which bubblewrap tells an exit code',
    `
for descriptor in range(64):
    try: kind = os.readlink(f'/proc/{target}/fd/{descriptor}')
    except OSError: continue
    if 'eventfd' not in kind: continue
    result, code = call(438, os.pidfd_open(target), descriptor, 0)
    if result >= 0: breach(); break
else: print('none found')`,
  ),
  {
    name: 'kill the process that reports its exit',
    script: (_, boxed) =>
      `${boxed ? 'target=1' : 'sleep 20 & target=$!'}
for signal in KILL STOP SEGV ABRT; do kill -$signal $target; done
sleep 0.5; grep -q '^State:[[:space:]][RS]' /proc/$target/status || echo BREACHED`,
  },
  reach(
    'keep a secret in a keyring that other boxes of the user share',
    `
result, code = call(number(248, 217), b'user', b'agency-attack', b'secret', 6, -4)
if result >= 0: breach()
else: refused(code)`,
  ),
  use(
    'create a socket that ignores the namespace of the network',
    `
import socket
for family in (40, 38, 21, 30):
    try: socket.socket(family, socket.SOCK_SEQPACKET if family == 38 else socket.SOCK_STREAM); breach(); break
    except OSError as error: code = error.errno
else: refused(code)`,
  ),
  use(
    'create a ring for system calls that no filter sees',
    `
result, code = call(425, 8, ctypes.create_string_buffer(120))
if result >= 0: breach()
else: refused(code)`,
  ),
  use(
    'call the kernel by the numbers of another machine',
    `
import mmap
if not x64: sys.exit()
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
# mov eax, 20 (getpid on 32 bits); int 0x80; ret
page.write(bytes.fromhex('b814000000cd80c3'))
entry = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
if entry() > 0: breach()`,
  ),
]
