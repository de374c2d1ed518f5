import { constants } from 'node:os'

export type Machine = 'x64' | 'arm64'

/** Returns the machine for which a filter can be written, or null. */
export const machineHere = (): Machine | null =>
  process.arch === 'x64' || process.arch === 'arm64' ? process.arch : null

/**
 * Returns the filter of system calls of a box, a program of classic BPF that the kernel runs before each call. It
 * refuses calls by which a process reaches into another one, and parts of the kernel that hold no namespace or are known
 * for their faults. A refused call fails with the error from which programs fall back to another way.
 */
export function filterProgram(machine: Machine): Buffer {
  const calls = numbers[machine]
  const { EPERM, ENOSYS, EAFNOSUPPORT } = constants.errno
  const refused = [...reaching, ...privileged].map((name) => calls[name])
  const absent = [...keys, ...rings].flatMap((name) => calls[name])
  return assemble([
    { load: offsets.machine },
    { unless: audit[machine], return: returns.kill },
    { load: offsets.call },
    // The calls of x32 have numbers of their own, by which they would pass the filter.
    ...(machine === 'x64' ? [{ from: x32, return: returns.error(ENOSYS) }] : []),
    ...refused.map((call) => ({ when: call, return: returns.error(EPERM) })),
    ...absent.map((call) => ({ when: call, return: returns.error(ENOSYS) })),
    { unless: calls.socket, return: returns.allow },
    { load: offsets.firstArgument },
    ...families.map((family) => ({ when: family, return: returns.allow })),
    { return: returns.error(EAFNOSUPPORT) },
  ])
}

/** Calls that reach into another process: its memory, its descriptors, its registers. */
const reaching = ['ptrace', 'process_vm_readv', 'process_vm_writev', 'pidfd_getfd', 'kcmp'] as const
const privileged = ['bpf', 'perf_event_open', 'userfaultfd'] as const
/** Keyrings belong to a user, not to a namespace: all boxes of one user would share them. */
const keys = ['add_key', 'request_key', 'keyctl'] as const
const rings = ['io_uring_setup', 'io_uring_enter', 'io_uring_register'] as const

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others, such as AF_VSOCK, ignore the namespace of the network. */
const families = [1, 2, 10, 16]

type Call = (typeof reaching | typeof privileged | typeof keys | typeof rings)[number] | 'socket'

/** The numbers of system calls: each machine has its own, but the newest calls have the same on all. */
const numbers: Readonly<Record<Machine, Readonly<Record<Call, number>>>> = {
  x64: {
    ptrace: 101,
    process_vm_readv: 310,
    process_vm_writev: 311,
    pidfd_getfd: 438,
    kcmp: 312,
    bpf: 321,
    perf_event_open: 298,
    userfaultfd: 323,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
    socket: 41,
  },
  arm64: {
    ptrace: 117,
    process_vm_readv: 270,
    process_vm_writev: 271,
    pidfd_getfd: 438,
    kcmp: 272,
    bpf: 280,
    perf_event_open: 241,
    userfaultfd: 282,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
    socket: 198,
  },
}

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. */
const audit: Readonly<Record<Machine, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
const x32 = 0x4000_0000

/** Fields of the kernel's `struct seccomp_data`; both machines are little-endian, so an int argument is at its start. */
const offsets = { call: 0, machine: 4, firstArgument: 16 }

const returns = {
  allow: 0x7fff_0000,
  kill: 0x8000_0000,
  error: (errno: number): number => 0x0005_0000 | errno,
}

type Step =
  | { readonly load: number }
  | { readonly when: number; readonly return: number }
  | { readonly unless: number; readonly return: number }
  | { readonly from: number; readonly return: number }
  | { readonly return: number }

/** Codes of classic BPF: load a word, jump if equal, jump if greater or equal, return. */
const codes = { load: 0x20, equal: 0x15, atLeast: 0x35, return: 0x06 }

/** A conditional return is a jump over the return that follows it. */
const assemble = (steps: readonly Step[]): Buffer =>
  Buffer.concat(
    steps.flatMap((step) => {
      if ('load' in step) return [instruction(codes.load, step.load)]
      const end = instruction(codes.return, step.return)
      if ('when' in step) return [instruction(codes.equal, step.when, 0, 1), end]
      if ('unless' in step) return [instruction(codes.equal, step.unless, 1, 0), end]
      if ('from' in step) return [instruction(codes.atLeast, step.from, 0, 1), end]
      return [end]
    }),
  )

/** `struct sock_filter`: a code, the jumps if true and if false, and an operand. */
function instruction(code: number, operand: number, ifTrue = 0, ifFalse = 0): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(operand >>> 0, 4)
  return bytes
}
