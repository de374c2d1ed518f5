import type { Scenario } from './contract.ts'
import { playDefault } from './default.ts'
import { demoScenario } from './demo.ts'
import { tieredFull } from './tiered/full.ts'
import { tieredMedium } from './tiered/medium.ts'
import { tieredSimple } from './tiered/simple.ts'

/** A scenario may depend on what was asked, and on the files that whoever plays it may touch. */
export type BuiltIn = (prompt: string, files?: readonly string[]) => Scenario

export const builtInScenarios: Readonly<Record<string, BuiltIn>> = {
  default: playDefault,
  demo: () => demoScenario,
  'tiered-full': () => tieredFull,
  'tiered-medium': () => tieredMedium,
  'tiered-simple': () => tieredSimple,
}
