import type { Launch, LaunchStep } from '../port.ts'
import type { Scenario } from './contract.ts'
import { playDefault } from './default.ts'
import { onePlan, outputsIn, verification } from './default-verify-and-plan.ts'
import { playStep } from './steps.ts'

type Attempts = Scenario['attempts']

/** The same scenario has a part for whoever does the work, plans it, judges it, or stands somewhere in a playbook. */
export function partOf(scenario: Scenario, launch: Launch): Scenario {
  const { kind, prompt, step } = launch
  if (step !== undefined) {
    const own = partOfPhase(scenario.phases ?? {}, step)
    if (own !== undefined) return { attempts: fillIn(turnsOf(own, launch), valuesOf(launch, step)) as Attempts }
    if (kind === 'plan') return { attempts: [playStep(step)] }
  }
  if (kind === 'verify') return { attempts: scenario.verify ?? [verification(prompt)] }
  if (kind === 'plan') return { attempts: scenario.plan ?? [onePlan(prompt)] }
  return scenario.attempts.length > 0 ? scenario : playDefault(prompt, step?.files)
}

/** What is said of one task stands before what is said of its squad, its workstream, and the phase as a whole. */
function partOfPhase(phases: NonNullable<Scenario['phases']>, step: LaunchStep): Attempts | undefined {
  const { phase, workstream } = step
  const [, ...place] = placeIn(step.key)
  const names = [place.join(':'), place.at(-1), ...(workstream === null ? [] : [workstream])]
  const wanted = [...names.filter(Boolean).map((name) => `${phase}:${name}`), phase]
  const found = wanted.find((name) => Object.hasOwn(phases, name))
  return found === undefined ? undefined : phases[found]
}

/** `t4:api:main:queue`, whether that is the brief itself or what `verify:…:2` or `resolve:…:2:t3` is about. */
function placeIn(key: string): string[] {
  const about = /^(?:verify|resolve):(.+?):\d+(?::\w+)?$/.exec(key)
  return (about?.[1] ?? key).split(':')
}

/** Each attempt at the work is judged by somebody new: which one is it that a verifier judges? */
function turnsOf(attempts: Attempts, { kind, step }: Launch): Attempts {
  const judged = kind === 'verify' ? Number(/:(\d+)$/.exec(step?.key ?? '')?.[1] ?? 1) : null
  return judged === null ? attempts : [attempts[Math.min(judged, attempts.length) - 1] ?? []]
}

const valuesOf = ({ prompt }: Launch, { inputs, workstream, key }: LaunchStep): Record<string, unknown> => {
  const outputs = outputsIn(prompt)
  return { inputs, workstream, key, outputs: outputs.length === 0 ? ['the report'] : outputs }
}

/** A text that is nothing but one name becomes the value itself, whatever that is; within a text it becomes a text. */
function fillIn(value: unknown, values: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((each) => fillIn(each, values))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fillIn(each, values)]))
  if (typeof value !== 'string' || !value.includes('{{')) return value
  const whole = /^\{\{([\w.]+)\}\}$/.exec(value)
  if (whole !== null) return valueAt(values, whole[1] as string)
  return value.replace(/\{\{([\w.]+)\}\}/g, (_, path: string) => {
    const found = valueAt(values, path)
    return typeof found === 'string' ? found : JSON.stringify(found ?? null)
  })
}

const valueAt = (values: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (found, name) =>
        typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[name] : undefined,
      values,
    )
