import { execFile } from 'node:child_process'

import { findPerl } from './system.ts'

/** A regular file that a process has open. */
export interface OpenFile {
  readonly inode: number
  readonly links: number
  readonly blocks: number
  readonly device: number
  /** Whether it exists in memory only. */
  readonly isMemory: () => boolean
}

/**
 * Resolves to the open files of processes whose list of descriptors is closed to this user. A process closes it by making
 * itself undumpable, or by executing a file that it may not read. The user who has created the namespace of a box may
 * still take copies of its descriptors, by a call that Node does not have.
 */
export function filesOfClosed(pids: readonly number[]): Promise<OpenFile[]> {
  const perl = findPerl()
  if (perl === null) return Promise.resolve([])
  return new Promise((resolve) => {
    execFile(perl, ['-e', script, ...pids.map(String)], limits, (_error, output) => resolve(readLines(output)))
  })
}

const limits = { env: {}, timeout: 10_000, maxBuffer: 16 * 1024 * 1024, encoding: 'utf8' } as const

/** 434 is pidfd_open, with PIDFD_THREAD for a process whose first thread has exited; 438 is pidfd_getfd. */
const script = String.raw`
for my $pid (@ARGV) {
  for my $thread ($pid, map { m{(\d+)$} } glob "/proc/$pid/task/*") {
    opendir my $list, "/proc/$pid/task/$thread/fdinfo" or next;
    my @numbers = grep { /^\d+$/ } readdir $list or next;
    my $process = syscall 434, $thread + 0, $thread == $pid ? 0 : 0200;
    last if $process < 0;
    for my $number (@numbers) {
      my $copy = syscall 438, $process, $number + 0, 0;
      next if $copy < 0 or !open my $file, '<&=', $copy;
      my @stats = stat $file or next;
      next if !-f _;
      my $isMemory = (readlink "/proc/self/fd/$copy") =~ m{^/memfd:} ? 1 : 0;
      print "@stats[1, 3, 12, 0] $isMemory\n";
    }
    open my $end, '<&=', $process;
    last;
  }
}`

const readLines = (output: string): OpenFile[] =>
  output.split('\n').flatMap((line) => {
    const numbers = line.split(' ').map(Number)
    if (numbers.length !== 5) return []
    const [inode = 0, links = 0, blocks = 0, device = 0, isMemory = 0] = numbers
    return [{ inode, links, blocks, device, isMemory: () => isMemory === 1 }]
  })
