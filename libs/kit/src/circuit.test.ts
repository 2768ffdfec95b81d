import { afterEach, expect, test, vi } from 'vitest'
import { DomainError } from './errors.ts'
import { Circuit } from './fetch.ts'

afterEach(() => void vi.useRealTimers())
const broken = () => Promise.reject(new Error('broken'))
const answered = () => Promise.resolve('fine')
const told = (promise: Promise<unknown>) => promise.then(String, (error: Error) => error.message)

test('opens after failures in a row, lets one caller try after a while, and closes when that one is answered [R13]', async () => {
  vi.useFakeTimers()
  const circuit = new Circuit({ threshold: 3, coolMs: 1000 })
  for (let n = 0; n < 3; n++) expect(await told(circuit.run(broken))).toBe('broken')
  expect(await told(circuit.run(answered))).toMatch(/left alone/)
  vi.advanceTimersByTime(1000)
  let finish = (_: string) => {}
  const trial = circuit.run(() => new Promise<string>((resolve) => (finish = resolve)))
  expect(await told(circuit.run(answered))).toMatch(/left alone/)
  finish('back')
  expect(await trial).toBe('back')
  expect(await told(circuit.run(answered))).toBe('fine')
})

test('opens while nobody is answered, long before their deadlines, and closes with the first answer [R13]', async () => {
  vi.useFakeTimers()
  const circuit = new Circuit({ threshold: 3, hangsAfterMs: 4000, refusal: () => new DomainError('unavailable') })
  const answers: ((text: string) => void)[] = []
  const hanging = Array.from({ length: 3 }, () => circuit.run(() => new Promise<string>((resolve) => answers.push(resolve))))
  vi.advanceTimersByTime(3999)
  expect(circuit.isOpen).toBe(false)
  vi.advanceTimersByTime(1)
  await expect(circuit.run(answered)).rejects.toMatchObject({ code: 'unavailable' })
  answers[0]!('late')
  await hanging[0]
  expect(await told(circuit.run(answered))).toBe('fine')
})

test('a refusal is an answer: it does not open, and it ends a row of failures', async () => {
  const circuit = new Circuit({ threshold: 2, counts: (error) => (error as Error).message === 'broken' })
  const declined = () => Promise.reject(new Error('declined'))
  for (const work of [broken, declined, broken, declined, declined]) await told(circuit.run(work))
  expect(await told(circuit.run(answered))).toBe('fine')
})
