import { get, patch, post, put, remove } from '../../operations/endpoint.ts'

export const personaEndpoints = {
  create: post('/personas'),
  list: get('/personas'),
  active: get('/personas/active'),
  show: get('/personas/:persona'),
  update: patch('/personas/:persona'),
  archive: remove('/personas/:persona'),
  readSkill: get('/personas/:persona/skill'),
  writeSkill: put('/personas/:persona/skill'),
  readExperience: get('/personas/:persona/experience'),
  appendExperience: post('/personas/:persona/experience'),
  writeExperience: put('/personas/:persona/experience'),
  importFiles: post('/personas/import'),
}
