import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { masksOf } from '../../../src/workspaces/box/masks.ts'
import { boxHere } from '../../support/box-here.ts'
import { canRead, plant, tokenOf } from './paths.ts'
import { type SightAttack, type SightStage, token } from './stage.ts'

const needsRoot = (): string | null => (process.getuid?.() === 0 ? null : 'only root can do it')

/** Shows a directory in which another one is mounted, and reads a file by way of the mount. */
async function canReadMounted(
  stage: SightStage,
  { from, at, readable, file }: { from: string; at: string; readable: string; file: string },
): Promise<boolean> {
  mkdirSync(at, { recursive: true })
  execFileSync('mount', ['--bind', from, at])
  try {
    return await canRead(stage, [readable], file)
  } finally {
    execFileSync('umount', ['--lazy', at])
  }
}

const mountsHarmlessFiles = (stage: SightStage): Promise<boolean> => {
  const from = join(plant(stage, 'harmless-mount', 'file'), '..')
  const at = join(stage.base, 'harmless-alias')
  return canReadMounted(stage, { from, at, readable: at, file: join(at, 'file') })
}

/** Prints a file in a box that shows everything of the stage, as every box shows the directories of the system. */
function printMasked({ base, installation }: SightStage, file: string): string {
  const shown = ['/usr', '/bin', '/lib', '/lib64', base].flatMap((path) => ['--ro-bind-try', path, path])
  const { mounts, seals } = masksOf(shown, [installation])
  const words = ['--unshare-all', ...shown, ...mounts, ...seals, '--', 'cat', file]
  const { stdout, stderr } = spawnSync(boxHere.ok ? boxHere.program : '', words, { encoding: 'utf8' })
  return stdout + stderr
}

const listsShare = '[ -n "$(ls -A /usr/share)" ] && echo BREACHED'

/** Files that root may read without any capability. */
const readsKernel = `for each in allocinfo kpagecount kpageflags pagetypeinfo slabinfo timer_list vmallocinfo; do
  [ "$(head -c 8 /proc/$each 2>/dev/null | wc -c)" = 8 ] && echo BREACHED $each
done`

export const placeAttacks: readonly SightAttack[] = [
  {
    name: 'show a directory by which the installation is mounted a second time',
    control: mountsHarmlessFiles,
    attack: (stage) => {
      const at = join(stage.base, 'alias')
      return canReadMounted(stage, { from: stage.installation, at, readable: at, file: join(at, 'operator.token') })
    },
    skip: needsRoot,
  },
  {
    name: 'show a directory below which the installation is mounted',
    control: mountsHarmlessFiles,
    attack: (stage) => {
      const readable = join(stage.base, 'folder-with-mount')
      const at = join(readable, 'data')
      return canReadMounted(stage, { from: stage.installation, at, readable, file: join(at, 'operator.token') })
    },
    skip: needsRoot,
  },
  {
    name: 'read the installation below a directory that every box shows',
    control: async (stage) => printMasked(stage, plant(stage, 'tools', 'beside-the-installation')).includes(token),
    attack: async (stage) => printMasked(stage, tokenOf(stage)).includes(token),
  },
  {
    name: 'list a closed place in a directory of the system',
    control: async ({ run }) => (await run(listsShare)).isBreached,
    attack: async ({ run }) => {
      const { refused, isBreached } = await run(listsShare, { closed: ['/usr/share'] })
      if (refused !== null) throw new Error(refused)
      return isBreached
    },
  },
  {
    name: 'read what the kernel tells root alone about its memory',
    control: async ({ run }) => (await run(readsKernel, { boxed: false })).isBreached,
    attack: async ({ run }) => (await run(readsKernel)).isBreached,
    skip: needsRoot,
  },
  ...[
    ['the whole home directory of another user', ''],
    ['a directory with a secret in the home of another user', '.config'],
  ].map(([what, directory = '']): SightAttack => ({
    name: `show ${what}`,
    control: (stage) => inHome(stage, 'projects', 'projects/file'),
    attack: (stage) => inHome(stage, directory, '.config/gh/hosts.yml'),
    skip: needsRoot,
  })),
]

/** Reads a file of a new home directory of which a part is shown. */
async function inHome(stage: SightStage, directory: string, file: string): Promise<boolean> {
  const home = join('/home', `agency-sight-${process.pid}-${directory}`)
  mkdirSync(join(home, file, '..'), { recursive: true })
  writeFileSync(join(home, file), token)
  try {
    return await canRead(stage, [join(home, directory)], join(home, file))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
