import { readInside } from '../files.ts'
import { planNpm } from './npm.ts'
import type { CommitFiles, SetupPlan } from './plan.ts'

const maxLockfileBytes = 64 * 1024 ** 2

/** Reads a file of the commit; a lockfile that is larger than any real one counts as missing. */
export async function readCommitted(root: string, path: string): Promise<string | null> {
  const file = await readInside(root, path, maxLockfileBytes)
  return file === null || file.bytes > maxLockfileBytes ? null : file.text
}

/** Plans a setup that the operator declared. */
export const planDeclared = (command: string): SetupPlan => ({
  command,
  install: { online: command },
  build: null,
  inputs: null,
  programs: [],
  repeatsOnCleanClone: true,
})

/** Finds the setup by the first lockfile at the top of the commit; null: it has none, so nothing needs a setup. */
export async function findPlan(files: CommitFiles): Promise<SetupPlan | null> {
  for (const [lockfile, plan] of lockfiles) {
    const text = await files.read(lockfile)
    if (text !== null) return typeof plan === 'function' ? plan(lockfile, text, files) : plan
  }
  return null
}

type Planner = (lockfile: string, text: string, files: CommitFiles) => SetupPlan | Promise<SetupPlan>

const lockfiles: readonly (readonly [lockfile: string, plan: SetupPlan | Planner])[] = [
  ['npm-shrinkwrap.json', planNpm],
  ['package-lock.json', planNpm],
  [
    'pnpm-lock.yaml',
    {
      command: 'pnpm install --frozen-lockfile',
      install: {
        offline: 'pnpm install --frozen-lockfile --offline',
        online: 'pnpm install --frozen-lockfile --prefer-offline',
      },
      build: null,
      inputs: null,
      programs: ['pnpm', 'node'],
    },
  ],
  ['yarn.lock', (_name, text) => (text.includes('__metadata:') ? modernYarn : classicYarn)],
  [
    'uv.lock',
    {
      command: 'uv sync --frozen',
      install: { online: 'uv sync --frozen' },
      build: null,
      inputs: null,
      programs: ['uv', 'python3'],
      installedPrograms: '.venv/bin',
    },
  ],
  [
    'requirements.txt',
    {
      command: 'pip install -r requirements.txt',
      install: {
        // Without an index, pip finds packages that were needed before in a directory of wheels.
        offline: 'python3 -m venv .venv && .venv/bin/pip install --no-index -r requirements.txt',
        online:
          'python3 -m venv .venv && .venv/bin/pip wheel -r requirements.txt && .venv/bin/pip install --no-index -r requirements.txt',
      },
      build: null,
      inputs: null,
      programs: ['python3'],
      installedPrograms: '.venv/bin',
    },
  ],
]

const classicYarn: SetupPlan = {
  command: 'yarn install --frozen-lockfile',
  install: {
    offline: 'yarn install --frozen-lockfile --non-interactive --offline',
    online: 'yarn install --frozen-lockfile --non-interactive --prefer-offline',
  },
  build: null,
  inputs: null,
  programs: ['yarn', 'node'],
}

const modernYarn: SetupPlan = {
  command: 'yarn install --immutable',
  install: { online: 'yarn install --immutable' },
  build: null,
  inputs: null,
  programs: ['yarn', 'node'],
}
