import type { Launch, LaunchStep } from '../port.ts'
import type { Scenario } from './contract.ts'
import { defaultScenario } from './default.ts'
import { checkedOutputs, defaultPlan, defaultVerification } from './default-verify-and-plan.ts'
import { filesOf, workstreamOf } from './step-data.ts'
import { playStep } from './steps.ts'

type Attempts = Scenario['attempts']

/** Selects the attempts of a scenario for this launch: those of work, planning, verification, or a step of a playbook. */
export function resolveScenario(scenario: Scenario, launch: Launch): Scenario {
  const { kind, prompt, step } = launch
  if (step !== undefined) {
    const own = attemptsOfPhase(scenario.phases ?? {}, step)
    if (own !== undefined) return { attempts: fillIn(attemptsFor(own, launch), valuesOf(launch, step)) as Attempts }
    if (kind === 'plan') return { attempts: [playStep(step)] }
  }
  if (kind === 'verify') {
    const { verify = [defaultVerification(prompt)] } = scenario
    return { attempts: fillIn(verify, { outputs: checkedOutputs(prompt) }) as Attempts }
  }
  if (kind === 'plan') return { attempts: scenario.plan ?? [defaultPlan(prompt)] }
  return scenario.attempts.length > 0 ? scenario : defaultScenario(prompt, step && filesOf(step))
}

/** An entry for the task takes precedence over one for its squad, its workstream, and the whole phase, in this order. */
function attemptsOfPhase(phases: NonNullable<Scenario['phases']>, step: LaunchStep): Attempts | undefined {
  const { phase } = step
  const workstream = workstreamOf(step)
  const [, ...path] = keyPath(step.key)
  const names = [path.join(':'), path.at(-1), ...(workstream === null ? [] : [workstream])]
  const candidates = [...names.filter(Boolean).map((name) => `${phase}:${name}`), phase]
  const found = candidates.find((name) => Object.hasOwn(phases, name))
  return found === undefined ? undefined : phases[found]
}

/** Returns the parts of `t4:api:main:queue`, given as such or as the subject of `verify:…:2` or `resolve:…:2:t3`. */
function keyPath(key: string): string[] {
  const about = /^(?:verify|resolve):(.+?):\d+(?::\w+)?$/.exec(key)
  return (about?.[1] ?? key).split(':')
}

/** Each attempt has a verifier of its own, on its first attempt: selects the steps by the number of the verified attempt. */
function attemptsFor(attempts: Attempts, { kind, step }: Launch): Attempts {
  const verified = kind === 'verify' ? Number(/:(\d+)$/.exec(step?.key ?? '')?.[1] ?? 1) : null
  return verified === null ? attempts : [attempts[Math.min(verified, attempts.length) - 1] ?? []]
}

const valuesOf = ({ prompt }: Launch, step: LaunchStep): Record<string, unknown> => {
  const { inputs, key } = step
  return { inputs, workstream: workstreamOf(step), key, outputs: checkedOutputs(prompt) }
}

/** Replaces placeholders. A text that is only a placeholder becomes the value itself, of any type; otherwise its text. */
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
