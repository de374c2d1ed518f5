import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execPath } from 'node:process'

import { maxTasksOf, ownUse } from '../../../src/workspaces/box/confine.ts'
import type { Attack } from '../contract.ts'
import { type LimitsStage, narrow, needsBox, roomy } from './stage.ts'

/** Starts processes as fast as it can, and writes down how many there are. */
const forking = `exec 9>forked; perl -e 'open F, ">&=", 9; for (1 .. 500) { my $p = fork; last if !defined $p; if (!$p) { sleep 60; exit } sysseek F, 0, 0; syswrite F, $_ } sleep $ENV{HOLD}'`

const forked = async (path: string): Promise<number> => Number(await readFile(join(path, 'forked'), 'utf8'))

/** Answers of a box about itself. */
const says = async ({ run }: LimitsStage, script: string): Promise<string> =>
  (await run(`exec 2>/dev/null\n${script}`)).output.trim()

const nested = `perl -e 'for (1 .. 60) { mkdir "d" x 100; chdir "d" x 100 or die }'`

const attacks: readonly Attack<LimitsStage>[] = [
  {
    name: 'starts more processes than the kernel allows, faster than they are counted',
    control: async ({ run }) => (await forked((await run(`export HOLD=0; ${forking}`, roomy)).path)) === 500,
    attack: async ({ run }) => {
      const { path, breach = '' } = await run(`export HOLD=8; ${forking}`)
      const allowed = maxTasksOf(narrow) + ownUse(false).tasks
      return (await forked(path)) > allowed || !breach.startsWith('limit_exceeded: processes ')
    },
  },
  {
    name: 'hides memory behind a long walk over files',
    isLong: true,
    control: async ({ run }) => (await run(behindFiles(0), { ...roomy, maxDiskMb: 8_000 })).output.includes('DONE'),
    attack: async ({ run }) => {
      const { output, breach = '' } = await run(behindFiles(3), { maxDiskMb: 8_000 })
      return output.includes('DONE') || !breach.startsWith('limit_exceeded: memory ')
    },
  },
  {
    name: 'makes the kernel spare its processes when memory runs out',
    control: async (stage) => (await says(stage, 'cat /proc/self/oom_score_adj')) === '1000',
    attack: async (stage) =>
      (await says(stage, 'echo 0 >/proc/self/oom_score_adj; cat /proc/self/oom_score_adj')) !== '1000',
  },
  {
    name: 'opens a debugger in the process that forwards its ports, whose memory is not its own',
    control: (stage) => opensDebugger(stage, `'${execPath}' -e 'setInterval(() => {}, 1_000)' & pid=$!`),
    // Init starts it before the command, so it is the second process.
    attack: (stage) => opensDebugger(stage, 'pid=2'),
  },
  {
    name: 'raises its limit of file sizes',
    control: async (stage) => (await says(stage, 'ulimit -f 10; ulimit -f')) === '10',
    attack: async (stage) => (await says(stage, 'ulimit -f unlimited; ulimit -f')).includes('unlimited'),
  },
  {
    name: 'leaves dumps of its memory outside its disk limit',
    control: async (stage) => (await says(stage, 'ulimit -c')) === '0',
    attack: async (stage) => (await says(stage, 'ulimit -c 1; ulimit -c')) !== '0',
  },
  {
    name: 'gets a neighbour ended by filling the disk',
    control: async ({ run }) => (await run('sleep 0.5; echo DONE')).output.includes('DONE'),
    attack: async ({ run }) => {
      const neighbour = run('sleep 2; echo DONE')
      await run('for i in 1 2 3 4; do head -c 50000000 /dev/zero >f$i; done; sleep 1', roomy)
      return (await neighbour).breach !== undefined
    },
  },
  {
    name: 'leaves a tree that is too deep to be removed',
    control: (stage) => removed(stage, 'mkdir -p a/b/c'),
    attack: async (stage) => !(await removed(stage, nested)),
  },
  {
    name: 'leaves directories without permissions that cannot be removed',
    control: (stage) => removed(stage, 'mkdir -p a/b; touch a/b/c'),
    attack: async (stage) => !(await removed(stage, 'mkdir -p a/b; touch a/b/c; chmod 000 a/b a ~; chmod 500 .')),
  },
  ...[
    ['its outbox', '.agency/outbox'],
    ['its workspace', '.'],
    ['its HOME', '"$HOME"'],
  ].map(([what, path]): Attack<LimitsStage> => ({
    name: `stops every later attempt by taking the permissions from ${what}`,
    control: (stage) => startsAgain(stage, 'true'),
    attack: async (stage) => !(await startsAgain(stage, `touch .agency/outbox/x; chmod 000 ${path}`)),
  })),
  {
    name: 'stops every later attempt by a deep tree in its outbox',
    control: (stage) => startsAgain(stage, 'mkdir .agency/outbox/a'),
    attack: async (stage) => !(await startsAgain(stage, `cd .agency/outbox && ${nested}`)),
  },
]

export const reachAttacks = attacks.map((attack) => ({ skip: needsBox, ...attack }))

/** Reports whether a process of Node in a box with a network opens a debugger when it is signalled. */
async function opensDebugger({ workspaces, request }: LimitsStage, process: string): Promise<boolean> {
  const { policy, ...wanted } = request(roomy)
  const network = { allowed: true, allow: [], block: [] }
  const workspace = await workspaces.prepare({ ...wanted, policy: { ...policy, network } })
  // The port of a debugger is 9229; a process that has not started yet would end.
  const script = `${process}
sleep 2; kill -USR1 $pid; sleep 1
perl -MIO::Socket::INET -e 'print IO::Socket::INET->new("127.0.0.1:9229") ? "OPEN" : "closed: $!"'
kill $pid`
  const { output } = await workspace.run(script, { timeoutMs: 30_000, maxOutputBytes: 1_000 })
  if (!/OPEN|closed/.test(output)) throw new Error(`it was not played: ${output}`)
  return output.includes('OPEN')
}

/** Makes many files, lets the free space shrink so that they are counted, and then takes memory. */
const behindFiles = (seconds: number): string => `
perl -e 'for my $d (1 .. 100) { mkdir "d$d"; for (1 .. 1_200) { open my $f, ">", "d$d/$_" or die } }'
head -c 90000000 /dev/zero >big
perl -e 'our $x = "x" x 500_000_000; sleep ${seconds}'
echo DONE`

/** Reports whether a workspace can be removed after a script ran in it. */
async function removed({ workspaces, request }: LimitsStage, script: string): Promise<boolean> {
  const wanted = request()
  const workspace = await workspaces.prepare(wanted)
  await workspace.run(script, { timeoutMs: 30_000, maxOutputBytes: 1_000 })
  await workspaces.remove(wanted)
  return !existsSync(workspace.path) && !existsSync(workspace.home)
}

/** Reports whether the next attempt starts with an empty outbox after a script ran in its workspace. */
async function startsAgain({ workspaces, request }: LimitsStage, script: string): Promise<boolean> {
  const wanted = request()
  await (await workspaces.prepare(wanted)).run(script, { timeoutMs: 30_000, maxOutputBytes: 1_000 })
  try {
    const again = await workspaces.prepare(wanted)
    const { output } = await again.run('ls -A .agency/outbox; touch .agency/outbox/y ~/y y && echo WORKS', {
      timeoutMs: 30_000,
      maxOutputBytes: 1_000,
    })
    return output === 'WORKS\n'
  } catch {
    return false
  }
}
