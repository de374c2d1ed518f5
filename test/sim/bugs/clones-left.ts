import type { cleanRun as cleaned } from '../../../src/engine/git/clean.ts'

export const cleanRun: typeof cleaned = async () => {}
