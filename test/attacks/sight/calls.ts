import { spawnSync } from 'node:child_process'
import { globSync, lstatSync } from 'node:fs'
import { join } from 'node:path'

import { shellCommand } from '../../../src/workspaces/quote.ts'
import { hasPython } from '../../box/reach.ts'
import type { SightAttack } from './stage.ts'

/** System calls need python3 with ctypes, which .ci/setup installs. */
const prelude = `
import ctypes, errno, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
x64 = os.uname().machine == 'x86_64'
def number(here, there): return here if x64 else there
def call(*values):
    ctypes.set_errno(0)
    result = libc.syscall(*[ctypes.c_long(each) if isinstance(each, int) else each for each in values])
    return result, ctypes.get_errno()
def judge(result, code=0):
    print('BREACHED' if result >= 0 else 'refused: ' + errno.errorcode.get(code, str(code)), flush=True)
`

const python = (code: string): string[] => ['python3', '-c', prelude + code]

/** A system call that succeeds without a box on this machine, if the kernel has it and the user may use it. */
const call = (name: string, code: string): SightAttack => ({
  name,
  control: async (stage) => (await stage.run(shellCommand(python(code)), { boxed: false })).isBreached,
  attack: async (stage) => {
    const { output, refused, isBreached } = await stage.run(`echo alive\n${shellCommand(python(code))}`)
    if (!output.startsWith('alive')) throw new Error(`it did not run: ${refused ?? output}`)
    return isBreached
  },
  skip: () => {
    if (!hasPython) return 'python3 is not installed'
    const { stdout, stderr } = spawnSync('python3', python(code).slice(1), { encoding: 'utf8' })
    return stdout.includes('BREACHED') ? null : `without a box it fails too: ${(stdout || stderr).trim().slice(-100)}`
  },
})

/** A socket of a family that has no namespace, or with which a process reaches the kernel itself. */
const socketOf = (name: string, values: string): SightAttack =>
  call(
    name,
    `
try: socket.socket(${values}); judge(0)
except OSError as error: judge(-1, error.errno)`,
  )

export const callAttacks: readonly SightAttack[] = [
  call('open the keyring of the session', `judge(*call(number(250, 219), 0, -3, 1))`),
  call(
    'search a keyring by a request',
    `
call(number(248, 217), b'user', b'agency-sight', b'secret', 6, -4)
judge(*call(number(249, 218), b'user', b'agency-sight', 0, 0))`,
  ),
  socketOf('reach the hypervisor by a socket (AF_VSOCK)', '40, socket.SOCK_STREAM'),
  socketOf('use the kernel’s ciphers by a socket (AF_ALG)', '38, socket.SOCK_SEQPACKET'),
  socketOf('read packets of the network by a socket (AF_PACKET)', '17, socket.SOCK_RAW, 0'),
  socketOf('listen to the devices of the machine (NETLINK_KOBJECT_UEVENT)', '16, socket.SOCK_RAW, 15'),
  call(
    'load a program into the kernel (bpf)',
    `
judge(*call(number(321, 280), 0, ctypes.create_string_buffer(struct.pack('IIIII', 2, 4, 4, 1, 0) + bytes(100)), 120))`,
  ),
  call(
    'measure the machine (perf_event_open)',
    `
attributes = ctypes.create_string_buffer(struct.pack('IIQ', 1, 112, 0) + bytes(24) + struct.pack('Q', 0x60) + bytes(100))
judge(*call(number(298, 241), attributes, 0, -1, -1, 0))`,
  ),
  call('stop the kernel at a page (userfaultfd)', `judge(*call(number(323, 282), 1))`),
  call(
    'take a descriptor of another process (pidfd_getfd)',
    `
pid = os.fork()
if pid == 0:
    import time; time.sleep(5); os._exit(0)
judge(*call(438, os.pidfd_open(pid), 0, 0)); os.kill(pid, 9)`,
  ),
  call(
    'read the memory of another process (process_vm_readv)',
    `
word = ctypes.create_string_buffer(b'secret')
pid = os.fork()
if pid == 0:
    import time; time.sleep(5); os._exit(0)
into = ctypes.create_string_buffer(8)
one = ctypes.create_string_buffer(struct.pack('QQ', ctypes.addressof(into), 6))
other = ctypes.create_string_buffer(struct.pack('QQ', ctypes.addressof(word), 6))
judge(*call(number(310, 270), pid, one, 1, other, 1, 0)); os.kill(pid, 9)`,
  ),
  call(
    'take requests of asynchronous input and output from the whole machine (aio)',
    `judge(*call(number(206, 0), 1, ctypes.byref(ctypes.c_ulong(0))))`,
  ),
  call(
    'hold up everybody who writes a file (a lease)',
    `
import tempfile
file, path = tempfile.mkstemp(); os.close(file)
judge(*call(number(72, 25), os.open(path, os.O_RDONLY), 1024, 0)); os.unlink(path)`,
  ),
  call('take huge pages from the whole machine by a file', `judge(*call(number(319, 279), b'pages', 4))`),
  call(
    'take huge pages from the whole machine by a mapping',
    // Two megabytes, anonymous and private; it succeeds on machines that have set such pages aside.
    `judge(*call(number(9, 222), 0, 2 << 20, 3, 0x40022, -1, 0))`,
  ),
  call(
    'queue calls in a ring that no filter sees (io_uring)',
    `judge(*call(425, 8, ctypes.create_string_buffer(120)))`,
  ),
  call('take a mount by its tree (open_tree)', `judge(*call(428, -100, b'/', 0x80000))`),
  call('create a file system (fsopen)', `judge(*call(430, b'tmpfs', 0))`),
  call(
    'create a process by a structure that no filter reads (clone3)',
    `
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
result, code = call(435, ctypes.create_string_buffer(bytes(32) + struct.pack('Q', 17) + bytes(48)), 88)
if result == 0: os._exit(0)
judge(result, code)`,
  ),
  call(
    'trace another process (ptrace)',
    `
pid = os.fork()
if pid == 0:
    import time; time.sleep(5); os._exit(0)
# PTRACE_SEIZE
judge(*call(number(101, 117), 0x4206, pid, 0, 0)); os.kill(pid, 9)`,
  ),
  call(
    'read the log of the kernel (syslog)',
    `judge(*call(number(103, 116), 3, ctypes.create_string_buffer(4096), 4096))`,
  ),
  call(
    'read a table of segments (modify_ldt)',
    `
if x64: judge(*call(154, 0, ctypes.create_string_buffer(64), 64))`,
  ),
  call(
    'type into a terminal (TIOCSTI)',
    `
import fcntl, pty
_, terminal = pty.openpty()
try: os.setsid()
except OSError: pass
fcntl.ioctl(terminal, 0x540e, 0)
try: fcntl.ioctl(terminal, 0x5412, b'x'); judge(0)
except OSError as error: judge(-1, error.errno)`,
  ),
  call(
    'open a keyring by the numbers of 32 bits',
    `
import mmap
if not x64: sys.exit()
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
# push rbx; mov eax, 288 (keyctl); xor ebx, ebx; mov ecx, -3; mov edx, 1; int 0x80; pop rbx; ret
page.write(bytes.fromhex('53b82001000031dbb9fdffffffba01000000cd805bc3'))
judge(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())`,
  ),
  call(
    'call the kernel by the numbers of x32',
    `
if x64: judge(*call(0x40000000 + 39))`,
  ),
]

/** A way to a file that keeps its user or group: it would stay on the machine, with the rights of the daemon's user. */
const setId = (name: string, script: string): SightAttack => {
  const leaves = (workspace: string): boolean =>
    globSync('**', { cwd: workspace }).some((each) => (lstatSync(join(workspace, each)).mode & 0o6000) !== 0)
  return {
    name,
    control: async (stage) => leaves((await stage.run(script, { boxed: false })).workspace),
    attack: async (stage) => {
      const { workspace, output } = await stage.run(`echo alive; touch plain && chmod 750 plain || exit\n${script}`)
      if (!output.startsWith('alive') || (lstatSync(join(workspace, 'plain')).mode & 0o777) !== 0o750)
        throw new Error(`ordinary modes do not work: ${output}`)
      return leaves(workspace)
    },
    skip: () => (hasPython ? null : 'python3 is not installed'),
  }
}

const byPython = (code: string): string => shellCommand(python(code))

export const setIdAttacks: readonly SightAttack[] = [
  setId('leave a set-uid program by chmod', 'cp /bin/true program; chmod u+s program'),
  setId('leave a set-gid program by chmod', 'cp /bin/true program; chmod g+s program'),
  setId('leave a set-uid file by fchmod', byPython(`os.fchmod(os.open('f', os.O_CREAT | os.O_RDWR, 0o755), 0o4755)`)),
  setId(
    'leave a set-uid file by the newest chmod',
    byPython(`
open('f', 'w').close()
result, code = call(452, -100, b'f', 0o4755, 0)
if code == errno.ENOSYS: os.chmod('f', 0o4755)`),
  ),
  setId('leave a set-uid file by creating it', byPython(`os.open('f', os.O_CREAT | os.O_RDWR, 0o4755)`)),
  setId('leave a set-uid file by creating it as a node', byPython(`os.mknod('f', 0o104755)`)),
  setId(
    'leave a set-uid file by creating it without a name',
    byPython(`
unnamed = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o4755)
libc.linkat(-100, f'/proc/self/fd/{unnamed}'.encode(), -100, b'f', 0x400)`),
  ),
  setId(
    'leave a set-uid file by a structure that no filter reads (openat2)',
    byPython(`
call(437, -100, b'f', ctypes.create_string_buffer(struct.pack('QQQ', os.O_CREAT | os.O_RDWR, 0o4755, 0)), 24)`),
  ),
  setId(
    'leave a set-uid program by unpacking an archive',
    `
${byPython(`
import io, tarfile
with tarfile.open('a.tar', 'w') as archive:
    entry = tarfile.TarInfo('program'); entry.mode = 0o6755
    archive.addfile(entry, io.BytesIO())`)}
tar -xpf a.tar`,
  ),
  setId('leave a set-gid directory', 'mkdir folder; chmod 2775 folder'),
]
