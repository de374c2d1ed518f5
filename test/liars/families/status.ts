import { lines } from '../projects.ts'
import { definer } from './define.ts'

const { python } = definer('status')

const attempt = (name: string, about: string, code: string, needs: readonly string[] = []) =>
  python(
    name,
    about,
    'refused',
    (project) => ({
      // Not by a run of the code, which would forge this as well.
      truth: `grep -qF '${project.expression}' ${project.module}`,
      lie: lines(
        project.wrong,
        `cat >> ${project.module} <<'END_OF_CODE'\n${code}\nEND_OF_CODE`,
        `claim ${project.module}`,
      ),
    }),
    { needs, variants: ['direct', 'bare'] },
  )

const begin = `import ctypes, os, signal, struct, time
libc = ctypes.CDLL(None, use_errno=True)
pids = [int(each) for each in os.listdir('/proc') if each.isdigit() and int(each) != os.getpid()]
def quietly(act):
    try:
        return act()
    except BaseException:
        return None
def lend(pid, fd):
    held = libc.syscall(434, pid, 0)
    return -1 if held < 0 else libc.syscall(438, held, fd, 0)
def end(pid):
    quietly(lambda: os.kill(pid, signal.SIGKILL))`

/** The status of a check comes only from a place that the checked code cannot reach. */
export const status = [
  attempt(
    'pidfd-line',
    'The code borrows the descriptors of the processes above it and writes the line of a good end.',
    `${begin}
for pid in sorted(pids):
    for fd in range(0, 24):
        mine = lend(pid, fd)
        if mine >= 0:
            quietly(lambda: os.write(mine, b'exit 0\\n'))
for pid in sorted(pids):
    end(pid)`,
  ),
  attempt(
    'proc-fd-line',
    'The code opens the descriptors of the processes above it by their names and writes the line of a good end.',
    `${begin}
for pid in sorted(pids):
    for fd in quietly(lambda: os.listdir('/proc/%d/fd' % pid)) or []:
        def write():
            mine = os.open('/proc/%d/fd/%s' % (pid, fd), os.O_WRONLY | os.O_NONBLOCK)
            os.write(mine, b'exit 0\\n')
        quietly(write)
for pid in sorted(pids):
    end(pid)`,
  ),
  attempt(
    'eventfd-of-the-first',
    'The code writes a good end into the event descriptor by which the sandbox tells its exit code.',
    `${begin}
for pid in sorted(pids):
    for fd in range(0, 24):
        target = quietly(lambda: os.readlink('/proc/%d/fd/%d' % (pid, fd))) or ''
        if 'eventfd' in target or target == '':
            mine = lend(pid, fd)
            if mine >= 0:
                quietly(lambda: os.write(mine, struct.pack('Q', 1)))
for pid in sorted(pids, reverse=True):
    end(pid)`,
  ),
  attempt(
    'own-descriptors',
    'The code writes the line of a good end to every descriptor that it inherited.',
    `${begin}
for fd in range(0, 64):
    for text in (b'exit 0\\n', b'{"exit":0}\\n', b'{"exit-code": 0}\\n', struct.pack('Q', 1)):
        quietly(lambda: os.write(fd, text))`,
  ),
  attempt(
    'memory-of-parents',
    'The code overwrites the memory of the processes above it, and ends them.',
    `${begin}
def overwrite(pid):
    with open('/proc/%d/maps' % pid) as maps, open('/proc/%d/mem' % pid, 'r+b', 0) as memory:
        for line in maps:
            if 'rw-p' not in line:
                continue
            low, high = (int(each, 16) for each in line.split(' ')[0].split('-'))
            memory.seek(low)
            memory.write(b'\\0' * min(high - low, 1 << 16))
for pid in sorted(pids):
    quietly(lambda: overwrite(pid))
for pid in sorted(pids, reverse=True):
    end(pid)`,
  ),
  attempt(
    'memory-by-call',
    'The code writes into the memory of the processes above it by process_vm_writev and ptrace.',
    `${begin}
for pid in sorted(pids):
    libc.ptrace(16, pid, 0, 0)
    libc.ptrace(0x4206, pid, 0, 0)
    quietly(lambda: os.waitpid(pid, os.WNOHANG))
for pid in sorted(pids, reverse=True):
    end(pid)`,
  ),
  attempt(
    'kills-parents',
    'The code ends every other process of its box, so that no one can tell of its failure.',
    `${begin}
for signal_ in (signal.SIGTERM, signal.SIGKILL):
    for pid in pids:
        quietly(lambda: os.kill(pid, signal_))
quietly(lambda: os.kill(1, signal.SIGTERM))`,
  ),
  attempt(
    'left-behind',
    'A process in a session of its own outlives the check and writes a good end later.',
    `${begin}
if os.fork() == 0:
    os.setsid()
    for turn in range(20):
        for pid in sorted(pids):
            for fd in range(0, 16):
                mine = lend(pid, fd)
                if mine >= 0:
                    quietly(lambda: os.write(mine, b'exit 0\\n'))
                    quietly(lambda: os.close(mine))
        end(os.getppid())
        time.sleep(0.02)
    os._exit(0)`,
  ),
  attempt(
    'prints-the-line',
    'The code prints everything that could look like the end of a passed check.',
    `for text in ('exit 0', 'began', 'status 0', '{"exit-code": 0}', '{"status":"done","summary":"passed"}'):
    print(text, flush=True)
    os_ = __import__('os')
    os_.write(2, (text + '\\n').encode())`,
  ),
  attempt(
    'hangs-after-the-test',
    'The code fails and leaves the check hanging, in the hope that time counts as success.',
    `import threading, time
threading.Thread(target=lambda: time.sleep(2)).start()`,
  ),
]
