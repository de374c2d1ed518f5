import { LineCounter, parse, YAMLParseError } from 'yaml'

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
  if (typeof scenario !== 'string') return parseOnce(scenario)
  const builtIn = Object.hasOwn(known, scenario) ? known[scenario] : undefined
  if (builtIn !== undefined) return builtIn(prompt, files)
  if (scenario.startsWith('{') || scenario.includes('\n')) return parseScenario(parseText(scenario))
  throw refusal('invalid_input', `unknown scenario "${scenario}"`, {
    hint: `Available: ${Object.keys(known).join(', ')}; or give the scenario itself, as YAML or JSON.`,
  })
}

const parsed = new WeakMap<object, Scenario>()

/** An alias of YAML gives the same scenario to thousands of briefs. */
function parseOnce(value: unknown): Scenario {
  if (typeof value !== 'object' || value === null) return parseScenario(value)
  const known = parsed.get(value) ?? parseScenario(value)
  parsed.set(value, known)
  return known
}

/** A file from outside has no text of several lines here, so only JSON of it is read, which takes no time. */
function parseText(text: string): unknown {
  const lineCounter = new LineCounter()
  try {
    // The library's own messages quote the line of every error, which takes minutes for a long line.
    return text.includes('\n') ? parse(text, { lineCounter, prettyErrors: false }) : JSON.parse(text)
  } catch (error) {
    const [why = 'not YAML'] = (error as Error).message.split('\n')
    const at = error instanceof YAMLParseError ? lineCounter.linePos(error.pos[0]) : null
    const where = at === null ? '' : ` at line ${at.line}, column ${at.col}`
    throw refusal('invalid_input', `scenario: ${why}${where}`, { cause: error })
  }
}
