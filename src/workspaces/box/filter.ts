import { constants } from 'node:os'

import { assemble, type Step } from './bpf.ts'
import { type Call, type Machine, numberOf } from './call-numbers.ts'

/** Returns the machine for which a filter can be written, or null. */
export const machineHere = (): Machine | null =>
  process.arch === 'x64' || process.arch === 'arm64' ? process.arch : null

/**
 * Returns the filter of system calls of a box, a program of classic BPF that the kernel runs before each call. It
 * refuses calls by which a process reaches into another one, parts of the kernel that hold no namespace or are known for
 * their faults, and files that would keep the rights of the daemon's user outside. A refused call fails with the error
 * from which programs fall back to another way.
 */
export function filterProgram(machine: Machine): Buffer {
  const on = (calls: readonly Call[], ...steps: Step[]): Step[] =>
    calls.flatMap((call) => {
      const number = numberOf(call, machine)
      return number === null ? [] : [{ on: number, steps }]
    })
  return assemble([
    { load: offsets.machine },
    { unequal: audit[machine], return: answers.kill },
    { load: offsets.call },
    // A newer kernel may have calls of which this list knows nothing. The calls of x32 have large numbers too.
    { atLeast: unknown, return: answers.absent },
    // The kernel runs the filter only for calls whose arguments it reads: the most frequent ones come first.
    ...on(['openat'], ...refuseCreation(2, 3)),
    ...on(['mmap'], ...refuseHugePages(3, 0x4_0000)),
    ...on(['open'], ...refuseCreation(1, 2)),
    ...on(['fcntl'], argument(1), ...refuseEqual(leases), allow),
    ...on(['ioctl'], argument(1), ...refuseEqual(terminalInput), allow),
    ...on(['clone'], argument(0), { anyOf: namespaces, return: answers.refuse }, ...refuseOwnDescriptors),
    ...on(['unshare'], argument(0), { anyOf: namespaces | sharesDescriptors, return: answers.refuse }, allow),
    ...on(['close_range'], argument(2), { anyOf: unsharesDescriptors, return: answers.absent }, allow),
    ...on(['socket'], argument(0), ...families, { unequal: netlink, return: answers.noFamily }, argument(2), ...route),
    ...on(['socketpair'], argument(0), { unequal: unix, return: answers.noFamily }, allow),
    ...on(['memfd_create'], ...refuseHugePages(1, 4)),
    ...on(['shmget'], ...refuseHugePages(2, 0o4000)),
    ...on(['fchmod', 'chmod', 'creat', 'mknod'], ...refuseMode(1)),
    ...on(['fchmodat', 'fchmodat2', 'mknodat'], ...refuseMode(2)),
    ...on(refused, { return: answers.refuse }),
    ...on(absent, { return: answers.absent }),
    allow,
  ])
}

/** Calls that reach into another process, or that only a machine's administrator needs. */
const refused: readonly Call[] = [
  ...(['ptrace', 'process_vm_readv', 'process_vm_writev', 'pidfd_getfd', 'kcmp'] as const),
  ...(['bpf', 'perf_event_open', 'userfaultfd', 'syslog', 'open_by_handle_at'] as const),
  ...(['mount', 'umount2', 'pivot_root', 'setns'] as const),
  ...(['init_module', 'finit_module', 'delete_module', 'kexec_load', 'kexec_file_load'] as const),
  ...(['swapon', 'swapoff', 'reboot', 'acct', 'quotactl', 'quotactl_fd', 'iopl', 'ioperm'] as const),
]

/** Calls that fail as on a kernel without them. */
const absent: readonly Call[] = [
  // Keyrings belong to a user, not to a namespace: all boxes of one user would share them.
  ...(['add_key', 'request_key', 'keyctl'] as const),
  // The kernel has one number of requests for the whole machine: a box that takes them all leaves none to databases.
  'io_setup',
  // A filter does not see the calls of a ring.
  ...(['io_uring_setup', 'io_uring_enter', 'io_uring_register'] as const),
  ...([
    'open_tree',
    'open_tree_attr',
    'move_mount',
    'fsopen',
    'fsconfig',
    'fsmount',
    'fspick',
    'mount_setattr',
  ] as const),
  // A filter cannot read the structures that these take; programs use clone and openat instead.
  ...(['clone3', 'openat2'] as const),
  'modify_ldt',
]

/** Fields of the kernel's `struct seccomp_data`; both machines are little-endian, so an int argument is at its start. */
const offsets = { call: 0, machine: 4, arguments: 16 }
const argument = (index: number): Step => ({ load: offsets.arguments + 8 * index })

const { EPERM, ENOSYS, ENOMEM, EAFNOSUPPORT } = constants.errno
const failure = (errno: number): number => 0x0005_0000 | errno
const answers = {
  allow: 0x7fff_0000,
  kill: 0x8000_0000,
  refuse: failure(EPERM),
  absent: failure(ENOSYS),
  noMemory: failure(ENOMEM),
  noFamily: failure(EAFNOSUPPORT),
}
const allow: Step = { return: answers.allow }
const refuseEqual = (values: readonly number[]): Step[] =>
  values.map((value) => ({ equal: value, return: answers.refuse }))

/**
 * S_ISUID and S_ISGID. The user of a box is the daemon's user outside: such a file would give its rights to whoever
 * starts it there.
 */
const setId = 0o6000
const refuseMode = (mode: number): Step[] => [argument(mode), { anyOf: setId, return: answers.refuse }, allow]

/** O_CREAT and the bit of O_TMPFILE; without them the mode means nothing. */
const creating = 0o100 | 0o20_000_000
const refuseCreation = (flags: number, mode: number): Step[] => [
  argument(flags),
  { noneOf: creating, return: answers.allow },
  ...refuseMode(mode),
]

/**
 * Huge pages are set aside for the whole machine, such as for a database, and no limit of a box counts them. It looks as
 * if none were left: programs take ordinary pages then.
 */
const refuseHugePages = (flags: number, isHuge: number): Step[] => [
  argument(flags),
  { anyOf: isHuge, return: answers.noMemory },
  allow,
]

/** AF_UNIX, AF_INET, AF_INET6. Others, such as AF_VSOCK, ignore the namespace of the network. */
const unix = 1
const families = [unix, 2, 10].map((family): Step => ({ equal: family, return: answers.allow }))
/** AF_NETLINK only with NETLINK_ROUTE, by which programs list the addresses of their network. */
const netlink = 16
const route: readonly Step[] = [{ equal: 0, return: answers.allow }, { return: failure(EAFNOSUPPORT) }]

/** All flags CLONE_NEW… but CLONE_NEWTIME, which `clone` does not know. */
const namespaces = 0x7e02_0000
/**
 * CLONE_THREAD, CLONE_FILES and CLOSE_RANGE_UNSHARE. A thread with descriptors of its own could keep removed files open
 * where a measurement of the disk, which looks at each process once, does not find them.
 */
const isThread = 0x1_0000
const sharesDescriptors = 0x400
const unsharesDescriptors = 2
const refuseOwnDescriptors: readonly Step[] = [
  { noneOf: isThread, return: answers.allow },
  { noneOf: sharesDescriptors, return: answers.refuse },
  allow,
]
/**
 * F_SETLEASE and F_SETDELEG. The owner of a file, also of one that the box may only read, would hold up every process of
 * the machine that opens it to write, for 45 seconds each time.
 */
const leases = [1_024, 1_040]
/** TIOCSTI and TIOCLINUX, which type into a terminal. */
const terminalInput = [0x5412, 0x541c]

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. */
const audit: Readonly<Record<Machine, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
/** The first number that has no meaning up to Linux 6.18. It is the same on both machines. */
const unknown = 470
