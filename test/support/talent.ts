import { join } from 'node:path'

import { playbooksRoot, talentRoot } from '../../src/entries.ts'
import type { TalentFolders } from '../../src/talent/service.ts'

/** Returns the bundled talent pool's folder and the one in a home. */
export const talentFolders = (home: string): TalentFolders => ({
  bundled: talentRoot(),
  home: join(home, 'talent'),
  playbooks: playbooksRoot(),
  prompts: join(home, 'prompts'),
})
