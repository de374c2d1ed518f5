import type { CliContext } from '../../cli/context.ts'
import { ago, bold, bytesText, plain, statusText, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { refusal } from '../../kernel/errors.ts'
import type { FileEntry, MissionWorkspace, WorkspaceView } from './contract.ts'

type Shown = Wire<WorkspaceView>
interface AsJson {
  json?: true
}

const at = (mission: string, rest = ''): string => `/missions/${encodeURIComponent(mission)}/workspace${rest}`

/** Standard output carries the path alone, so that a script can catch it. */
export async function createWorkspace(
  context: CliContext,
  mission: string,
  options: AsJson & { path?: string; repo?: string },
): Promise<number> {
  const repo = options.repo === undefined ? undefined : (await import('node:path')).resolve(options.repo)
  const made = await context.api().post<Shown>(at(mission), { path: options.path, repo })
  if (options.json) context.json(made)
  else context.out(made.directory)
  return 0
}

export async function listWorkspaces(context: CliContext, options: AsJson & { all?: true }): Promise<number> {
  const answer = await context
    .api()
    .get<{ root: string; workspaces: Shown[] }>('/workspaces', { removed: options.all === true ? 'true' : undefined })
  if (options.json) {
    context.json(answer)
    return 0
  }
  if (answer.workspaces.length === 0) {
    context.out('no workspaces yet; agency workspace create <mission> makes one')
    return 0
  }
  const rows = answer.workspaces.map((each) => [
    each.mission_id,
    statusText(context, each.busy === null ? each.status : 'working'),
    diskText(each.disk),
    ago(each.created_at, context.nowMs()),
    plain(each.path),
  ])
  const columns = [
    { title: 'MISSION' },
    { title: 'STATUS' },
    { title: 'DISK', right: true },
    { title: 'MADE', right: true },
    { title: 'PATH', flexible: true },
  ] as const
  for (const line of tableLines(context, columns, rows)) context.out(line)
  return 0
}

export async function showWorkspace(context: CliContext, mission: string, options: AsJson): Promise<number> {
  const shown = await context.api().get<Shown>(at(mission))
  if (options.json) {
    context.json(shown)
    return 0
  }
  const { policy } = shown
  context.out([bold(context, plain(shown.path)), statusText(context, shown.status), diskText(shown.disk)].join('  '))
  for (const [name, value] of [
    ['directory', shown.directory],
    ['mission', shown.mission_id],
    ['clone of', shown.repository === null ? '' : `${shown.repository.path} at ${shown.repository.base.slice(0, 12)}`],
    ['works there', shown.busy ?? ''],
    ['may write', policy.allowed_write_paths.join(', ')],
    ['may read', policy.allowed_read_paths.join(', ')],
    ['never writes', policy.forbidden_paths.join(', ')],
    ['network', policy.network.allowed ? networkText(policy.network) : 'none'],
    [
      'limits',
      `${policy.limits.max_processes} processes, ${policy.limits.max_memory_mb} MB memory, ${policy.limits.max_disk_mb} MB disk, ${policy.limits.max_runtime_minutes} minutes`,
    ],
  ] as const)
    if (value !== '') context.out(`${name.padEnd(12)} ${plain(value)}`)
  return 0
}

export async function listFiles(
  context: CliContext,
  mission: string,
  path: string | undefined,
  options: AsJson,
): Promise<number> {
  const answer = await context
    .api()
    .get<{ path: string; entries: Wire<FileEntry>[]; is_partial: boolean }>(at(mission, '/files'), { path })
  if (options.json) {
    context.json(answer)
    return 0
  }
  for (const { name, kind, bytes } of answer.entries) {
    const size = kind === 'file' ? bytesText(bytes) : kind === 'directory' ? '' : kind
    context.out(
      context.isTty
        ? `${size.padStart(10)}  ${plain(name)}${kind === 'directory' ? '/' : ''}`
        : `${plain(name)}${kind === 'directory' ? '/' : ''}`,
    )
  }
  if (answer.is_partial) context.err('there are more than 5,000')
  return 0
}

interface Part {
  encoding: 'utf8' | 'base64'
  content: string
  next: number | null
}

/** The file as it is, part by part. */
export async function printFile(context: CliContext, mission: string, file: string): Promise<number> {
  for (let from: number | null = 0; from !== null;) {
    const part: Part = await context.api().get<Part>(at(mission, '/file'), { path: file, from })
    if (part.encoding === 'utf8') context.text(part.content)
    else if (context.isTty)
      throw refusal('invalid_input', `"${file}" is no text`, { hint: 'Send it to a file with ">".' })
    else process.stdout.write(Buffer.from(part.content, 'base64'))
    from = part.next
  }
  return 0
}

export async function checkAccess(
  context: CliContext,
  mission: string,
  options: AsJson & { write?: string; read?: string },
): Promise<number> {
  const [access, path] = options.write === undefined ? ['read', options.read] : ['write', options.write]
  const answer = await context
    .api()
    .post<{ allowed: boolean; rule: string; path: string }>(at(mission, '/check'), { access, path })
  if (options.json) context.json(answer)
  else context.out(`${answer.allowed ? 'allowed' : 'denied'} by ${answer.rule}: ${access} ${plain(answer.path)}`)
  return answer.allowed ? 0 : 1
}

export async function removeWorkspace(
  context: CliContext,
  mission: string,
  options: AsJson & { force?: true },
): Promise<number> {
  const answer = await context
    .api()
    .call<{ workspace: Wire<MissionWorkspace>; snapshot: string | null }>('DELETE', at(mission), {
      force: options.force,
    })
  if (options.json) {
    context.json(answer)
    return 0
  }
  context.out(`${plain(answer.workspace.path)} removed`)
  if (answer.snapshot !== null) context.out(`what was not merged is kept at ${plain(answer.snapshot)}`)
  return 0
}

export async function showDisk(context: CliContext, options: AsJson): Promise<number> {
  const answer = await context.api().get<{
    root: string
    free_bytes: number
    parts: { path: string; bytes: number; files: number; is_partial: boolean }[]
    total: { bytes: number; files: number; is_partial: boolean }
  }>('/workspaces/disk')
  if (options.json) {
    context.json(answer)
    return 0
  }
  for (const part of answer.parts) context.out(`${diskText(part).padStart(10)}  ${plain(part.path)}`)
  context.out(
    `${diskText(answer.total).padStart(10)}  in ${plain(answer.root)}, ${bytesText(answer.free_bytes)} free on its disk`,
  )
  return 0
}

const diskText = (use: { bytes: number; is_partial: boolean } | null): string =>
  use === null ? '-' : `${use.is_partial ? '>' : ''}${bytesText(use.bytes)}`

const networkText = ({ allow, block }: { allow: string[]; block: string[] }): string =>
  [
    allow.length === 0 ? 'everywhere' : `only ${allow.join(', ')}`,
    ...(block.length === 0 ? [] : [`not ${block.join(', ')}`]),
  ].join(', ')
