import { answerWith } from '../../../threads/answer.ts'
import { misfits } from './fit.ts'

answerWith(misfits)
