import type { Launch, Runtime } from '../../adapters/runtime/port.ts'
import { redact } from '../../secrets/redact.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import { type EngineDeps, runtimeOf } from '../deps.ts'
import { outputOf } from './output-schema.ts'
import type { Claimed } from './start.ts'

/**
 * Returns the launch options of an attempt: the persona's prompt, the step, the permission mode and the session to
 * resume.
 */
export async function launchOptions(
  deps: EngineDeps,
  { run, brief, attempt }: Claimed,
  inputs: Brief['inputs'],
): Promise<Pick<Launch, 'systemPrompt' | 'output' | 'step' | 'mode' | 'session' | 'allowed'>> {
  const systemPrompt = await systemPromptFor(deps, runtimeOf(deps, brief), run, brief)
  const output = outputOf(deps.playbooks.get(run.playbook), brief)
  return {
    ...(systemPrompt === '' ? {} : { systemPrompt }),
    ...(output === null ? {} : { output: { name: output.name, schema: output.schema } }),
    ...(brief.phase === null ? {} : { step: { phase: brief.phase, key: brief.key, inputs, data: brief.data } }),
    mode: modeOf(run, brief),
    session: attempt.session,
    allowed: brief.allowed,
  }
}

/** Renders the whole system prompt without secrets, as its runtime sends it; empty: its agent gets none. */
async function systemPromptFor(deps: EngineDeps, { systemPromptOf }: Runtime, run: Run, brief: Brief): Promise<string> {
  if (systemPromptOf === undefined) return ''
  const persona = (await deps.personaText?.(brief.personaId, run)) ?? ''
  const goal = brief.phase === null ? '' : `The goal that everything serves: ${run.goalAnchor}`
  const text = [persona, goal].filter((each) => each !== '').join('\n\n')
  return redact(await systemPromptOf({ text, readBase: (path) => readBase(deps, run, path) }))
}

/**
 * A planning step only reads, and so does a verifier unless the operator chose otherwise: code of the work that it runs
 * could speak with its token.
 */
function modeOf({ configuration }: Run, { kind }: Brief): Launch['mode'] {
  if (kind === 'plan') return 'plan_only'
  return kind === 'verify' ? (configuration.verifierMode ?? 'plan_only') : (configuration.mode ?? 'yolo')
}

/** Reads a file of the commit that the run began with; without a repository no file is known to be the operator's. */
async function readBase({ repositories }: EngineDeps, run: Run, path: string): Promise<string | null> {
  const { repository, configuration } = run
  if (repositories === undefined) return null
  if (repository !== null) return repositories.text(repository.mirror, repository.base, path)
  const { clone } = configuration
  return clone === undefined || clone === null ? null : repositories.text(clone.mirror, clone.start, path)
}
