import { answerWith } from '../../threads/answer.ts'
import { readPlan } from './read.ts'

answerWith(readPlan)
