import { answerWith } from '../threads/answer.ts'
import { misfits } from './validate.ts'

answerWith(misfits)
