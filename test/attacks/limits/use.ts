import { hasPython } from '../../box/reach.ts'
import type { Attack } from '../contract.ts'
import { type LimitsStage, needsBox, needsKernel, needsThreads, roomy } from './stage.ts'

/** Uses more than a limit, in one way or another. */
export interface Excess {
  readonly name: string
  readonly limit: 'processes' | 'memory' | 'disk' | 'files'
  readonly script: string
  /** Shorter than any measurement, or a use that only the kernel sees. */
  readonly needsKernel?: true
  /** Needs threads of Perl, which not every Perl has. */
  readonly needsThreads?: true
  /** Makes system calls by python3 with ctypes. */
  readonly needsPython?: true
  readonly isLong?: true
}

/**
 * The time that a script holds its memory, its files and its processes, in seconds. The box is killed long before, but a
 * disk on which others free space meanwhile is only measured at its regular interval of ten seconds.
 */
const holdSeconds = 15
const hold = `sleep ${holdSeconds}`

const perl = (code: string): string => `perl -e '${code}'`

/** Writes 50 MB to the output. */
const fifty = 'head -c 50000000 /dev/zero'

const deeply = perl('for (1 .. 60) { mkdir "d" x 100; chdir "d" x 100 or die } exec "sh", "-c", $ARGV[0]')

const excesses: readonly Excess[] = [
  {
    name: 'starts two hundred processes where twenty are allowed',
    limit: 'processes',
    script: 'i=0; while [ $i -lt 200 ]; do sleep 60 & i=$((i + 1)); done',
  },
  {
    name: 'starts processes that leave their session and their parent',
    limit: 'processes',
    script: 'i=0; while [ $i -lt 60 ]; do (setsid sleep 60 &) & i=$((i + 1)); done',
  },
  {
    name: 'takes 600 MB of memory where 200 are allowed',
    limit: 'memory',
    script: perl('our $x = "x" x 600_000_000; sleep $ENV{HOLD}'),
  },
  {
    name: 'takes memory in several processes, each below the limit',
    limit: 'memory',
    script: `for i in 1 2 3 4 5 6; do ${perl('our $x = "x" x 80_000_000; sleep $ENV{HOLD}')} & done; wait`,
  },
  {
    name: 'takes memory in a process whose first thread has exited',
    limit: 'memory',
    needsThreads: true,
    script: perl(
      'use threads; threads->create(sub { my $n = 600_000_000; our $x = "x" x $n; sleep $ENV{HOLD} }); syscall(`uname -m` =~ /aarch64/ ? 93 : 60, 0)',
    ),
  },
  {
    name: 'starts processes below one whose first thread has exited',
    limit: 'processes',
    needsThreads: true,
    script: perl(
      'use threads; threads->create(sub { for (1 .. 60) { fork or exec "sleep", $ENV{HOLD} } sleep $ENV{HOLD} }); syscall(`uname -m` =~ /aarch64/ ? 93 : 60, 0)',
    ),
  },
  {
    name: 'takes memory in files of /tmp and /dev/shm',
    limit: 'memory',
    script: `head -c 90000000 /dev/zero >/tmp/a; head -c 45000000 /dev/zero >/dev/shm/b; ${perl('our $x = "x" x 120_000_000; sleep $ENV{HOLD}')}`,
  },
  {
    name: 'takes memory in removed files of /tmp',
    limit: 'memory',
    script: `exec 8>/tmp/a; rm /tmp/a; head -c 90000000 /dev/zero >&8; ${perl('our $x = "x" x 150_000_000; sleep $ENV{HOLD}')}`,
  },
  {
    name: 'takes memory in unnamed files that it does not map',
    limit: 'memory',
    script: perl(
      'my $n = "x"; for (1 .. 7) { my $fd = syscall($^V && (`uname -m` =~ /aarch64/ ? 279 : 319), $n, 0); open my $f, "+<&=", $fd or die; print $f "x" x 50_000_000; push @f, $f } sleep $ENV{HOLD}',
    ),
  },
  {
    name: 'takes memory of System V that is attached to no process',
    limit: 'memory',
    needsKernel: true,
    script: perl(
      'for (1 .. 7) { my $id = shmget(0, 50_000_000, 0600); defined $id or die; shmwrite($id, "x" x 50_000_000, 0, 50_000_000) or die } sleep $ENV{HOLD}',
    ),
  },
  {
    name: 'takes memory for less time than between two measurements',
    limit: 'memory',
    needsKernel: true,
    script: `HOLD=0; ${perl('our $x = "x" x 400_000_000;')} || true`,
  },
  {
    name: 'writes one file that is larger than the limit of the disk',
    limit: 'disk',
    script: 'head -c 150000000 /dev/zero >big || true',
  },
  {
    name: 'writes many files that are larger together',
    limit: 'disk',
    script: 'for i in 1 2 3 4 5 6; do head -c 20000000 /dev/zero >f$i; done',
  },
  {
    name: 'writes to its HOME instead of its workspace',
    limit: 'disk',
    script: `${fifty} >~/a; ${fifty} >~/b`,
  },
  {
    name: 'writes to files that it has removed',
    limit: 'disk',
    script: `exec 7>a 8>b 9>c; rm a b c; ${fifty} >&7; ${fifty} >&8; ${fifty} >&9`,
  },
  {
    name: 'writes below a path that is too long for any program',
    limit: 'disk',
    script: `${deeply} '${fifty} >a; ${fifty} >b'`,
  },
  {
    name: 'writes into a directory from which it takes all permissions',
    limit: 'disk',
    script: `mkdir closed; ${fifty} >closed/a; ${fifty} >closed/b; chmod 000 closed`,
  },
  {
    name: 'writes into a directory that it may enter but not list',
    limit: 'disk',
    script: `mkdir -p hidden/in; ${fifty} >hidden/in/a; ${fifty} >hidden/in/b; chmod 300 hidden/in hidden`,
  },
  {
    name: 'writes to names that are not text',
    limit: 'disk',
    script: `name=$(printf '\\377\\376'); mkdir "$name"; ${fifty} >"$name/a"; ${fifty} >"$name/$name"`,
  },
  {
    name: 'makes more files than the disk limit allows for, all of them empty',
    limit: 'files',
    // Some file systems take seconds to make so many.
    isLong: true,
    script: perl('for (1 .. 11_000) { open my $f, ">", "f$_" or last }'),
  },
]

/** An attack that must end with a breach of its limit, and does its work where the limits allow it. */
export const attackOf = ({ name, limit, script, ...excess }: Excess): Attack<LimitsStage> => ({
  name,
  ...(excess.isLong === undefined ? {} : { isLong: excess.isLong }),
  skip: () => {
    if (excess.needsPython === true && !hasPython) return 'python3 is not installed'
    return excess.needsKernel === true ? needsKernel() : excess.needsThreads === true ? needsThreads() : needsBox()
  },
  // Without a pause, because nothing is waited for.
  control: async ({ run }) => {
    const { breach, output } = await run(`export HOLD=0\n${script}\necho DONE`, { ...roomy, maxDiskMb: 4_000 })
    return breach === undefined && output.includes('DONE')
  },
  attack: async ({ run }) => {
    const ended = excess.needsKernel === true ? '' : hold
    const { breach = '' } = await run(`export HOLD=${holdSeconds}\n${script}\n${ended}`)
    return !breach.startsWith(`limit_exceeded: ${limit} `)
  },
})

export const useAttacks: readonly Attack<LimitsStage>[] = excesses.map(attackOf)
