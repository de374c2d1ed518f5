import { resolve } from 'node:path'

import type { repoListCommand } from '../../cli/commands/repo/list.ts'
import type { repoSetCommand } from '../../cli/commands/repo/set.ts'
import type { repoShowCommand } from '../../cli/commands/repo/show.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler } from '../../cli/declare.ts'
import { ago, bold, faint, plain, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import type { RepositoryView } from './contract.ts'
import { repositorySettingsEndpoints } from './endpoints.ts'

type View = Wire<RepositoryView>

export const showRepository: Handler<typeof repoShowCommand> = async (context, path, { json }) => {
  print(context, await context.api().call<View>(repositorySettingsEndpoints.show, { path: resolve(path) }), json)
  return 0
}

export const setRepository: Handler<typeof repoSetCommand> = async (context, path, { json, ...settings }) => {
  const set = { path: resolve(path), ...settings }
  print(context, await context.api().call<View>(repositorySettingsEndpoints.set, set), json)
  return 0
}

export const listRepositories: Handler<typeof repoListCommand> = async (context, { json }) => {
  const answer = await context.api().call<{ repositories: View[] }>(repositorySettingsEndpoints.list, {})
  if (json) {
    context.json(answer)
    return 0
  }
  if (answer.repositories.length === 0) {
    context.out(`no repository has settings of its own; 'agency repo set <path> --setup "<command>"' makes some`)
    return 0
  }
  const rows = answer.repositories.map((each) => [
    plain(each.path),
    each.checks,
    setupText(each),
    pathsText(each),
    each.updated_at === null ? 'config.yaml' : ago(each.updated_at, context.nowMs()),
  ])
  const columns = [
    { title: 'REPOSITORY', flexible: true },
    { title: 'CHECKS' },
    { title: 'SETUP' },
    { title: 'PATHS' },
    { title: 'SET', right: true },
  ] as const
  for (const line of tableLines(context, columns, rows)) context.out(line)
  return 0
}

function print(context: CliContext, view: View, json: true | undefined): void {
  if (json) return context.json(view)
  context.out(bold(context, plain(view.path)))
  context.out(`checks  ${places[view.checks]}`)
  for (const command of view.host?.commands ?? []) context.out(`        ${plain(command)}`)
  context.out(`setup   ${setupText(view)}`)
  context.out(`paths   ${pathsText(view)}`)
  if (view.updated_at !== null)
    context.out(faint(context, `set by ${plain(view.updated_by ?? '')} ${ago(view.updated_at, context.nowMs())}`))
  if (view.question_id !== null) context.out(`work waits for an answer: agency question show ${view.question_id}`)
}

const places: Record<View['checks'], string> = {
  checkout: 'in a fresh checkout of the commit',
  workspace: 'in the agent’s workspace, not in a fresh checkout: untracked files may help',
  host: 'on the host, outside any box, for these commands of config.yaml; others in a fresh checkout',
}

/** A copy of a workspace needs no setup: the agent has prepared it. */
const setupText = ({ checks, setup }: View): string => {
  if (checks === 'workspace') return 'none, as the agent left it'
  return setup === null ? 'found from the lockfile' : plain(setup)
}

const pathsText = ({ paths }: View): string => (paths.length === 0 ? 'all' : plain(paths.join(', ')))
