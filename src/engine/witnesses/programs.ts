/** Returns the programs that commands start: the first word of each, and that behind a word such as npx. */
export function programsIn(text: string): string[] {
  const commands = text.split(/[;&|()`"'\n]+/)
  return commands.flatMap((command) => {
    const words = command
      .trim()
      .replace(/^[@+-]+/, '')
      .split(/\s+/)
    const found: string[] = []
    for (const word of words) {
      if (/^\w+=|^-/.test(word)) continue
      found.push(word.split('/').at(-1) ?? word)
      if (!before.has(word)) break
    }
    return found
  })
}

/** Words that stand before the name of a program. */
const before = new Set(
  `npx exec env time xargs sudo nohup command if then else elif while until do ! npm pnpm yarn bunx bun dlx run uv poetry
  pipenv hatch bundle cross-env dotenv nice timeout -- not`.split(/\s+/),
)

/** Programs of the system that others start although no command names them, and that no package of a registry brings. */
export const basicPrograms: ReadonlySet<string> = new Set(
  `sh bash dash zsh env python python3 pip pip3 git make ruby perl php go cargo rustc java mvn cc
  gcc g++ clang ctest cat grep sed awk diff cmp test true false echo printf ls find xargs sort head tail`.split(/\s+/),
)

/** The programs that run those of a package. */
export const hostPrograms: ReadonlySet<string> = new Set([
  'node',
  'nodejs',
  'npm',
  'npx',
  'corepack',
  'yarn',
  'pnpm',
  'bun',
  'deno',
  'pytest',
  'uv',
  'poetry',
])
