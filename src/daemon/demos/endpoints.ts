import { post } from '../../operations/endpoint.ts'

export const demoEndpoints = {
  play: post('/demo'),
}
