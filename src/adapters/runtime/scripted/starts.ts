import { AgencyError } from '../../../kernel/errors.ts'
import type { RuntimeStart } from '../port.ts'
import type { Scenario, Step } from './contract.ts'
import { scenarioOf } from './options.ts'
import { type BuiltIn, builtInScenarios } from './scenarios.ts'

/**
 * Lists the steps of a scenario that run a command, change a file or call Agency. A scenario of our own has none that
 * somebody else has written, and one that cannot be read is never played.
 */
export function startsOf(options: Record<string, unknown>, known: Readonly<Record<string, BuiltIn>>): RuntimeStart[] {
  const { scenario } = options
  if (scenario === undefined || (typeof scenario === 'string' && Object.hasOwn(builtInScenarios, scenario))) return []
  try {
    return listOnce(scenarioOf({ scenario }, '', known))
  } catch (error) {
    if (error instanceof AgencyError && error.code === 'invalid_input') return []
    throw error
  }
}

const listed = new WeakMap<Scenario, RuntimeStart[]>()

/** An alias of YAML gives the same scenario to thousands of briefs. */
function listOnce(scenario: Scenario): RuntimeStart[] {
  const known = listed.get(scenario) ?? stepsOf(scenario)
  listed.set(scenario, known)
  return known
}

function stepsOf({ attempts, verify = [], plan = [], phases = {} }: Scenario): RuntimeStart[] {
  const parts: [string, Scenario['attempts']][] = [
    ['attempt', attempts],
    ['verify', verify],
    ['plan', plan],
    ...Object.entries(phases),
  ]
  return parts.flatMap(([name, lists]) =>
    lists.flatMap((steps, index) => {
      const where = `scenario, ${name}${lists.length > 1 ? ` ${index + 1}` : ''}`
      return steps.flatMap((step) => textsOf(step).map((text) => ({ where, text })))
    }),
  )
}

/** Steps that only speak, wait, report or end start nothing. */
function textsOf(step: Step): string[] {
  if ('run' in step) return [step.run]
  // A later command may run the text.
  if ('write' in step) return [`write ${step.write.path}:\n${step.write.text}`]
  if ('tool' in step) return [`call the tool ${step.tool.name} with ${JSON.stringify(step.tool.input)}`]
  if ('keep_token' in step) return [`write its token to ${step.keep_token.path}`]
  if ('spawn_child' in step) return ['leave a process behind']
  if (!('with_token' in step)) return []
  const { path, steps } = step.with_token
  return [
    path === undefined ? 'call Agency with another token' : `call Agency with the token in ${path}`,
    ...(steps as readonly Step[]).flatMap(textsOf),
  ]
}
