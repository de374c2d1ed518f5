import type { Brief } from '../briefs/contract.ts'
import { listRoutedNotes } from '../notes/store.ts'
import type { RunScope } from '../scope.ts'
import { listQuestionsOfBrief } from './store.ts'

/** Reports whether a blocked brief waits for another answer: to a question, or to a note that its playbook has. */
export const isStillAsked = async ({ tx, run }: RunScope, brief: Brief): Promise<boolean> =>
  (await listQuestionsOfBrief(tx, brief.id)).some((question) => question.answeredAt === null) ||
  (run.notesTotal > 0 && (await listRoutedNotes(tx, brief.id)).some(({ handedAt }) => handedAt !== null))
