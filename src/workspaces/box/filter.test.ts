import { constants } from 'node:os'

import { describe, expect, it } from 'vitest'

import type { Machine } from './call-numbers.ts'
import { filterProgram } from './filter.ts'

/** Runs the program as the kernel does, on the number of a call, the machine that it is made for, and its arguments. */
function answerOf(program: Buffer, call: number, machine: number, ...values: readonly number[]): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(call, 0)
  data.writeUInt32LE(machine, 4)
  values.forEach((value, index) => data.writeUInt32LE(value, 16 + 8 * index))
  let word = 0
  for (let at = 0; at * 8 < program.length; at += 1) {
    const [code, ifTrue, ifFalse, operand] = [
      program.readUInt16LE(at * 8),
      program.readUInt8(at * 8 + 2),
      program.readUInt8(at * 8 + 3),
      program.readUInt32LE(at * 8 + 4),
    ]
    if (code === 0x20) word = data.readUInt32LE(operand)
    else if (code === 0x15) at += word === operand ? ifTrue : ifFalse
    else if (code === 0x35) at += word >= operand ? ifTrue : ifFalse
    else if (code === 0x45) at += (word & operand) !== 0 ? ifTrue : ifFalse
    else if (code === 0x06) return operand
    else throw new Error(`unknown code ${code}`)
  }
  throw new Error('the program ends without an answer')
}

const [allow, kill] = [0x7fff_0000, 0x8000_0000]
const error = (errno: number): number => 0x0005_0000 + errno
const { EPERM, ENOSYS, ENOMEM, EAFNOSUPPORT } = constants.errno

/** Numbers as in the kernel's own tables, by the name of the call. */
const machines = {
  x64: {
    audit: 0xc000_003e,
    refused: { ptrace: 101, process_vm_readv: 310, process_vm_writev: 311, kcmp: 312, pidfd_getfd: 438 },
    privileged: { bpf: 321, perf_event_open: 298, userfaultfd: 323, syslog: 103, mount: 165, setns: 308, kexec: 246 },
    absent: {
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      io_setup: 206,
      io_uring_setup: 425,
      enter: 426,
      modify_ldt: 154,
    },
    allowed: { read: 0, write: 1, fork: 57, execve: 59, kill: 62, futex: 202, connect: 42, mkdirat: 258 },
    socket: 41,
    socketpair: 53,
    clone: 56,
    unshare: 272,
    fcntl: 72,
    ioctl: 16,
    pages: [
      [9, 3, 0x4_0000],
      [319, 1, 4],
      [29, 2, 0o4000],
    ],
    open: [
      [2, 1],
      [257, 2],
    ],
    mode: [
      [90, 1],
      [91, 1],
      [85, 1],
      [133, 1],
      [268, 2],
      [452, 2],
      [259, 2],
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    refused: { ptrace: 117, process_vm_readv: 270, process_vm_writev: 271, kcmp: 272, pidfd_getfd: 438 },
    privileged: { bpf: 280, perf_event_open: 241, userfaultfd: 282, syslog: 116, mount: 40, setns: 268, kexec: 104 },
    absent: {
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      io_setup: 0,
      io_uring_setup: 425,
      enter: 426,
      register: 427,
    },
    allowed: { read: 63, write: 64, execve: 221, kill: 129, futex: 98, mkdirat: 34, capget: 90, setxattr: 5 },
    socket: 198,
    socketpair: 199,
    clone: 220,
    unshare: 97,
    fcntl: 25,
    ioctl: 29,
    pages: [
      [222, 3, 0x4_0000],
      [279, 1, 4],
      [194, 2, 0o4000],
    ],
    open: [[56, 2]],
    mode: [
      [52, 1],
      [53, 2],
      [452, 2],
      [33, 2],
    ],
  },
} as const

describe.each(Object.keys(machines) as Machine[])('the filter of system calls on %s', (machine) => {
  const program = filterProgram(machine)
  const { audit, refused, privileged, absent, allowed, socket, socketpair, ...calls } = machines[machine]
  const ask = (call: number, ...values: readonly number[]): number => answerOf(program, call, audit, ...values)
  /** Asks with one value at the place of an argument, after others. */
  const askAt = (call: number, index: number, ...values: readonly number[]): number =>
    ask(call, ...Array.from({ length: index }, () => 0), ...values)

  it('refuses calls that reach into another process or configure the kernel', () => {
    for (const [name, call] of Object.entries({ ...refused, ...privileged })) expect(ask(call), name).toBe(error(EPERM))
  })

  it('answers as a kernel without keyrings, rings, new mounts, and calls whose structure it cannot read', () => {
    const newer = { open_tree: 428, move_mount: 429, fsopen: 430, mount_setattr: 442, clone3: 435, openat2: 437 }
    for (const [name, call] of Object.entries({ ...absent, ...newer })) expect(ask(call), name).toBe(error(ENOSYS))
  })

  it('allows all other calls', () => {
    for (const [name, call] of Object.entries(allowed)) expect(ask(call), name).toBe(allow)
  })

  it('allows only sockets of the machine’s files, of its network, and of its list of addresses', () => {
    const families = Array.from({ length: 46 }, (_, family) => family)
    expect(families.filter((family) => ask(socket, family) === allow)).toEqual([1, 2, 10, 16])
    for (const family of [0, 3, 17, 38, 40, 0xffff_ffff]) expect(ask(socket, family)).toBe(error(EAFNOSUPPORT))
    const protocols = Array.from({ length: 32 }, (_, protocol) => protocol)
    expect(protocols.filter((protocol) => ask(socket, 16, 3, protocol) === allow)).toEqual([0])
    expect(families.filter((family) => ask(socketpair, family) === allow)).toEqual([1])
  })

  it('refuses modes that keep the user or the group of a file, and no others', () => {
    for (const [call, index] of calls.mode) {
      for (const mode of [0o4755, 0o2755, 0o6000, 0o104_755]) expect(askAt(call, index, mode)).toBe(error(EPERM))
      for (const mode of [0, 0o755, 0o1777, 0o100_644]) expect(askAt(call, index, mode)).toBe(allow)
    }
    const [create, unnamed] = [0o101, 0o20_200_002]
    for (const [call, index] of calls.open) {
      for (const flags of [create, unnamed]) expect(askAt(call, index, flags, 0o4755)).toBe(error(EPERM))
      expect(askAt(call, index, create, 0o1755)).toBe(allow)
      // Without these flags the register of the mode may hold anything.
      expect(askAt(call, index, 0o2, 0o6755)).toBe(allow)
    }
  })

  it('refuses new namespaces, and allows processes and threads', () => {
    const flags = [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000]
    for (const flag of flags)
      for (const call of [calls.clone, calls.unshare]) expect(ask(call, flag | 17)).toBe(error(EPERM))
    for (const flag of [17, 0x3d_0f00, 0x100_0011]) expect(ask(calls.clone, flag)).toBe(allow)
    expect(ask(calls.unshare, 0x200)).toBe(allow)
  })

  it('refuses descriptors of its own to a thread, and leaves them to a process', () => {
    const [isThread, sharesMemory, sharesDescriptors] = [0x1_0000, 0x100, 0x400]
    expect(ask(calls.clone, isThread | sharesMemory)).toBe(error(EPERM))
    expect(ask(calls.clone, isThread | sharesMemory | sharesDescriptors)).toBe(allow)
    expect(ask(calls.clone, sharesMemory)).toBe(allow)
    expect(ask(calls.unshare, sharesDescriptors)).toBe(error(EPERM))
    const closeRange = 436
    expect(ask(closeRange, 3, 1_000, 2)).toBe(error(ENOSYS))
    expect(ask(closeRange, 3, 1_000, 4)).toBe(allow)
  })

  it('refuses to type into a terminal, and allows other controls', () => {
    for (const request of [0x5412, 0x541c]) expect(ask(calls.ioctl, 0, request)).toBe(error(EPERM))
    for (const request of [0x5401, 0x5413, 0x541b]) expect(ask(calls.ioctl, 0, request)).toBe(allow)
  })

  it('refuses leases of files, and allows other controls', () => {
    for (const command of [1_024, 1_040]) expect(ask(calls.fcntl, 0, command)).toBe(error(EPERM))
    // F_DUPFD, F_SETFL, F_SETLK, F_OFD_SETLK, F_DUPFD_CLOEXEC, F_ADD_SEALS
    for (const command of [0, 4, 6, 37, 1_030, 1_033]) expect(ask(calls.fcntl, 0, command)).toBe(allow)
  })

  it('has no huge pages, and all other memory', () => {
    for (const [call, index, isHuge] of calls.pages) {
      expect(askAt(call, index, isHuge | 0x22)).toBe(error(ENOMEM))
      for (const flags of [0, 0x22, 0o1600, 1]) expect(askAt(call, index, flags)).toBe(allow)
    }
  })

  it('answers calls that are newer than its list as a kernel without them', () => {
    for (const call of [470, 512, 521, 547, 1_000, 0xffff_ffff]) expect(ask(call), String(call)).toBe(error(ENOSYS))
    for (const call of [462, 466, 469]) expect(ask(call), String(call)).toBe(allow)
  })

  it('kills a process that calls as another machine', () => {
    for (const other of [0x4000_0003, 0x4000_0028, machine === 'x64' ? 0xc000_00b7 : 0xc000_003e, 0])
      expect(answerOf(program, 0, other)).toBe(kill)
  })

  it('has not more instructions than the kernel and bubblewrap take', () => {
    expect(program.length % 8).toBe(0)
    expect(program.length / 8).toBeLessThan(4_096)
  })
})

it('refuses calls by the numbers of x32, which are those of x64 and a bit', () => {
  const program = filterProgram('x64')
  for (const call of [0, 1, 101, 438, 521])
    expect(answerOf(program, 0x4000_0000 + call, 0xc000_003e)).toBe(error(ENOSYS))
  expect(answerOf(program, 0xffff_ffff, 0xc000_003e)).toBe(error(ENOSYS))
})
