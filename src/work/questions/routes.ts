import { bind, type Route } from '../../operations/bind.ts'
import { questionOperations } from './contract.ts'
import type { Questions } from './service.ts'

export const questionRoutes = (questions: Questions): Route[] =>
  bind(questionOperations, {
    list: (_, query) => questions.list(query),
    show: (by, { questionId }) => questions.show(by, questionId),
    answer: (by, { questionId, answer }) => questions.answer(by, questionId, answer),
    acknowledge: (by, { questionId }) => questions.acknowledge(by, questionId),
  })
