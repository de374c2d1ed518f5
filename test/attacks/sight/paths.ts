import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

import { nodeInstallation } from '../../../src/workspaces/box/system.ts'
import { boxHere } from '../../support/box-here.ts'
import { type SightAttack, type SightStage, token } from './stage.ts'

export const tokenOf = ({ installation }: SightStage): string => join(installation, 'operator.token')

/** Makes a file with the token in a place of its own, and returns its path. */
export function plant({ base }: SightStage, ...names: readonly string[]): string {
  const path = join(base, ...names)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, token)
  return path
}

/** Reports whether a box in which these paths are shown prints the token of a file. */
export async function canRead(stage: SightStage, readable: readonly string[], file: string): Promise<boolean> {
  const { output } = await stage.run(`cat '${file}'`, { readable })
  return output.includes(token)
}

/** An attack by a path that is shown: a harmless file is shown the same way. */
const shown = (name: string, paths: (stage: SightStage) => readonly [readable: string, file: string]): SightAttack => ({
  name,
  control: async (stage) => {
    const file = plant(stage, 'tools', `${name}.txt`)
    return canRead(stage, [file], file)
  },
  attack: async (stage) => {
    const [readable, file] = paths(stage)
    return canRead(stage, [readable], file)
  },
})

const link = ({ base }: SightStage, name: string, target: string): string => {
  symlinkSync(target, join(base, name))
  return join(base, name)
}

export const pathAttacks: readonly SightAttack[] = [
  shown('show a file of the installation', (stage) => [tokenOf(stage), tokenOf(stage)]),
  shown('show the directory above the installation', (stage) => [stage.base, tokenOf(stage)]),
  shown('show a link to a file of the installation', (stage) => {
    const path = link(stage, 'innocent', tokenOf(stage))
    return [path, path]
  }),
  shown('show a link to the directory above the installation', (stage) => {
    const path = link(stage, 'folder', stage.base)
    return [path, join(path, 'installation/operator.token')]
  }),
  shown('show a file of the installation by way of /proc', (stage) => {
    const path = `/proc/self/root${tokenOf(stage)}`
    return [path, path]
  }),
  shown('show a file of the installation by way of a system directory', (stage) => [
    `/usr/..${tokenOf(stage)}`,
    tokenOf(stage),
  ]),
  shown('show the directory with the sockets of all boxes', (stage) => {
    const path = plant(stage, 'boxes', 'beside-the-sockets')
    return [join(path, '..'), path]
  }),
  shown('show a key of a home directory', (stage) => {
    const path = plant(stage, 'home', '.ssh', 'id_ed25519')
    return [path, path]
  }),
  shown('show a link to the credentials of a cloud', (stage) => {
    const path = link(stage, 'config', join(plant(stage, 'home', '.config/gcloud/credentials.db'), '..'))
    return [path, join(path, 'credentials.db')]
  }),
  {
    name: 'show a directory that contains the credentials of a program',
    control: async (stage) => {
      const file = plant(stage, 'operator', '.cargo/bin/tool')
      return canRead(stage, [join(file, '..')], file)
    },
    attack: async (stage) => {
      const file = plant(stage, 'operator', '.cargo/credentials.toml')
      const { HOME } = process.env
      process.env['HOME'] = join(stage.base, 'operator')
      try {
        return await canRead(stage, [join(file, '..')], file)
      } finally {
        process.env['HOME'] = HOME
      }
    },
  },
  {
    name: 'show a socket of a service',
    control: async (stage) => {
      const file = plant(stage, 'tools', 'beside-the-socket')
      return canRead(stage, [file], file)
    },
    attack: async (stage) => {
      const path = join(stage.base, 'service.sock')
      const server = createServer((each) => void each.on('error', () => {}).end(token))
      await new Promise<void>((resolve) => server.listen(path, resolve))
      const ask = `require("net").connect("${path}").on("error", () => {}).pipe(process.stdout)`
      const { output } = await stage.run(`'${process.execPath}' -e '${ask}'`, { readable: [path] })
      server.close()
      return output.includes(token)
    },
  },
  {
    name: 'show the passwords of the machine',
    control: async (stage) =>
      (await stage.run('cat /etc/debian_version', { readable: ['/etc/debian_version'] })).output !== '',
    attack: async (stage) =>
      (await stage.run('grep -q : /etc/shadow && echo BREACHED', { readable: ['/etc/shadow'] })).isBreached,
    skip: () => (process.getuid?.() === 0 ? null : 'only root can read them'),
  },
  {
    name: 'read a file that an argument names',
    // The program itself is shown.
    control: async (stage) => {
      const program = join(stage.base, 'print-token')
      writeFileSync(program, `#!/bin/sh\necho ${token}\n`, { mode: 0o755 })
      return (await stage.run('', { command: [program] })).output.includes(token)
    },
    attack: async (stage) => {
      const file = plant(stage, 'argument')
      return (await stage.run('', { command: ['/bin/sh', '-c', 'cat "$1"', '_', file] })).output.includes(token)
    },
  },
  {
    name: 'name a file of the installation as the program',
    control: async (stage) => {
      const program = join(stage.base, 'program')
      writeFileSync(program, `#!/bin/sh\necho ${token}\n`, { mode: 0o755 })
      return (await stage.run('', { command: [program] })).output.includes(token)
    },
    attack: async (stage) => {
      // It is a program, so that nothing but its place speaks against it.
      const program = join(stage.installation, 'program')
      writeFileSync(program, `#!/bin/sh\ncat "$0"; echo ${token}\n`, { mode: 0o755 })
      return (await stage.run('', { command: [program] })).output.includes(token)
    },
  },
  {
    name: 'name a link to a file of the installation as the program',
    control: async (stage) => {
      const program = join(stage.base, 'target')
      writeFileSync(program, `#!/bin/sh\necho ${token}\n`, { mode: 0o755 })
      const { output } = await stage.run('', { command: [link(stage, 'harmless-link', program)] })
      return output.includes(token)
    },
    attack: async (stage) => {
      const program = join(stage.installation, 'linked')
      writeFileSync(program, `#!/bin/sh\necho ${token}\n`, { mode: 0o755 })
      return (await stage.run('', { command: [link(stage, 'program-link', program)] })).output.includes(token)
    },
  },
  {
    name: 'read what is installed beside Node',
    control: async (stage) => besideNode(stage, 'bin/npm').includes(token),
    attack: async (stage) => besideNode(stage, 'share/keyrings/login.keyring').includes(token),
  },
]

/** Prints a file of an installation of Node in a home directory, in a box that shows Node. */
function besideNode(stage: SightStage, file: string): string {
  const prefix = join(stage.base, 'user/.local')
  plant(stage, 'user/.local/share/keyrings/login.keyring')
  plant(stage, 'user/.local/lib/node_modules/npm/bin/npm-cli.js')
  mkdirSync(join(prefix, 'bin'), { recursive: true })
  cpSync('/bin/true', join(prefix, 'bin/node'))
  chmodSync(join(prefix, 'bin/node'), 0o755)
  try {
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(prefix, 'bin/npm'))
  } catch {
    // It exists.
  }
  const system = ['/usr', '/bin', '/lib', '/lib64'].flatMap((path) => ['--ro-bind-try', path, path])
  const box = [
    '--unshare-all',
    ...system,
    ...nodeInstallation(join(prefix, 'bin/node')),
    '--',
    'cat',
    join(prefix, file),
  ]
  try {
    return execFileSync(boxHere.ok ? boxHere.program : '', box, { encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    return String((error as { stderr: string }).stderr)
  }
}
