import type { Launch } from '../../adapters/runtime/port.ts'
import { redact } from '../../secrets/redact.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { EngineDeps } from '../deps.ts'
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
  const persona = (await deps.personaText?.(brief.personaId, run)) ?? ''
  const goal = brief.phase === null ? '' : `The goal that everything serves: ${redact(run.goalAnchor)}`
  const text = [persona, goal].filter((each) => each !== '').join('\n\n')
  const output = outputOf(deps.playbooks.get(run.playbook), brief)
  return {
    ...(text === '' ? {} : { systemPrompt: text }),
    ...(output === null ? {} : { output: { name: output.name, schema: output.schema } }),
    ...(brief.phase === null ? {} : { step: { phase: brief.phase, key: brief.key, inputs, data: brief.data } }),
    // A planning step only reads, independent of the run's mode.
    mode: brief.kind === 'plan' ? 'plan_only' : (run.configuration.mode ?? 'yolo'),
    session: attempt.session,
    allowed: brief.allowed,
  }
}
