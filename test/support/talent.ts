import { join } from 'node:path'

import { playbooksRoot, talentRoot } from '../../src/entries.ts'
import type { TalentPlaces } from '../../src/talent/service.ts'

/** What ships, and a home of one's own. */
export const talentPlaces = (home: string): TalentPlaces => ({
  bundled: talentRoot(),
  home: join(home, 'talent'),
  playbooks: playbooksRoot(),
  prompts: join(home, 'prompts'),
})
