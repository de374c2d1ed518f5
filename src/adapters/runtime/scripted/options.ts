import { parse } from 'yaml'

import { refusal } from '../../../kernel/errors.ts'
import { parseScenario, type Scenario } from './contract.ts'
import type { BuiltIn } from './scenarios.ts'

/** Returns the scenario of the options: by name, as an object, as YAML or JSON text, or the default if there is none. */
export function scenarioOf(
  options: Record<string, unknown>,
  prompt: string,
  known: Readonly<Record<string, BuiltIn>>,
  files: readonly string[] = [],
): Scenario {
  const { scenario = 'default', ...more } = options
  const [stray] = Object.keys(more)
  if (stray !== undefined)
    throw refusal('invalid_input', `the scripted runtime has no option "${stray}"`, {
      hint: 'The only option is scenario.',
    })
  if (typeof scenario !== 'string') return parseScenario(scenario)
  const builtIn = Object.hasOwn(known, scenario) ? known[scenario] : undefined
  if (builtIn !== undefined) return builtIn(prompt, files)
  if (/[\n:{]/.test(scenario)) return parseScenario(parseText(scenario))
  throw refusal('invalid_input', `unknown scenario "${scenario}"`, {
    hint: `Available: ${Object.keys(known).join(', ')}; or give the scenario itself, as YAML or JSON.`,
  })
}

function parseText(text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    const [why = 'not YAML'] = (error as Error).message.split('\n')
    throw refusal('invalid_input', `scenario: ${why}`, { cause: error })
  }
}
