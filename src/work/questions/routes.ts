import { bind, type Route } from '../../operations/bind.ts'
import type { DecisionService } from '../decisions/service.ts'
import { questionOperations } from './contract.ts'
import type { Questions } from './service.ts'

export const questionRoutes = (questions: Questions, decisions: Pick<DecisionService, 'answer'>): Route[] =>
  bind(questionOperations, {
    list: (_, query) => questions.list(query),
    show: (by, { questionId }) => questions.show(by, questionId),
    answer: (by, { questionId, answer, undoSeconds }) => decisions.answer(by, questionId, answer, undoSeconds),
    acknowledge: (by, { questionId }) => questions.acknowledge(by, questionId),
  })
