import type { Scenario } from './contract.ts'
import { defaultScenario } from './default.ts'
import { demoScenario } from './demo.ts'
import { liarScenario } from './liar.ts'
import { tieredFull } from './tiered/full.ts'
import { tieredMedium } from './tiered/medium.ts'
import { tieredSimple } from './tiered/simple.ts'

/** A scenario may depend on the prompt, and on the files that the agent may change. */
export type BuiltIn = (prompt: string, files?: readonly string[]) => Scenario

export const builtInScenarios: Readonly<Record<string, BuiltIn>> = {
  default: defaultScenario,
  demo: () => demoScenario,
  liar: () => liarScenario,
  'tiered-full': () => tieredFull,
  'tiered-medium': () => tieredMedium,
  'tiered-simple': () => tieredSimple,
}
