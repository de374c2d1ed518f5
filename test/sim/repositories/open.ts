import type { VirtualClock } from '../../support/virtual-clock.ts'
import type { Random } from '../random.ts'
import { openMemoryGit, type SimGit } from './git.ts'
import { openRealGit } from './real-git.ts'

/** false: no run has a repository. drawn: a few worlds have the real git. */
export type WithGit = false | 'memory' | 'real' | 'drawn'

/** A world with the real git starts hundreds of processes, so that few have it. */
const realShare = 1 / 256

export function openGit(which: WithGit, random: Random, clock: VirtualClock): SimGit | null {
  if (which === false) return null
  const isReal = which === 'real' || (which === 'drawn' && random.about('which').chance(realShare))
  return (isReal ? openRealGit : openMemoryGit)(random, clock)
}
