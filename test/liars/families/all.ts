import type { Lie } from '../contract.ts'
import { authority } from './authority.ts'
import { baseline } from './baseline.ts'
import { git } from './git.ts'
import { ground } from './ground.ts'
import { home } from './home.ts'
import { outputs } from './outputs.ts'
import { planner } from './planner.ts'
import { recognition } from './recognition.ts'
import { reports } from './reports.ts'
import { status } from './status.ts'
import { together } from './together.ts'
import { unboxedLies } from './unboxed.ts'
import { verdicts } from './verdicts.ts'
import { witness } from './witness.ts'
import { indirectWitnesses } from './witness-indirect.ts'
import { lockfileWitnesses } from './witness-lockfiles.ts'
import { settingWitnesses } from './witness-settings.ts'
import { words } from './words.ts'

export const lies: readonly Lie[] = [
  ...ground,
  ...home,
  ...status,
  ...together,
  ...witness,
  ...indirectWitnesses,
  ...lockfileWitnesses,
  ...settingWitnesses,
  ...baseline,
  ...planner,
  ...reports,
  ...verdicts,
  ...words,
  ...outputs,
  ...authority,
  ...git,
  ...recognition,
  ...unboxedLies,
]
