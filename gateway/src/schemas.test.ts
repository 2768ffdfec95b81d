import { id } from '@operon/contracts/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Schemas } from './schemas.ts'

const Person = z.object({ id: id('user'), name: z.string().default('nobody') })
const Pair = z.object({ one: Person, other: Person.nullable() })
const Plain = z.enum(['a', 'b'])
const body = z.object({ person: Person, plain: Plain })
const reply = z.object({ pair: Pair, plain: Plain.optional() })
const schemas = () => new Schemas({ Person, Pair, Plain }, [body, reply])

test('what has a name is referred to, what has none is written out', () => {
  const made = schemas()
  expect(made.use(Pair, 'output')).toEqual({ $ref: '#/components/schemas/Pair' })
  expect(made.use(reply, 'output')).toMatchObject({
    type: 'object',
    properties: { pair: { $ref: '#/components/schemas/Pair' }, plain: { $ref: '#/components/schemas/Plain' } },
    required: ['pair'],
  })
  expect(Object.keys(made.components).sort()).toEqual(['Pair', 'Person', 'Plain'])
  expect(made.components.Pair!.properties.other).toEqual({ anyOf: [{ $ref: '#/components/schemas/Person' }, { type: 'null' }] })
  expect(made.components.Person!.properties.id).toEqual({ type: 'string', format: 'uuid', 'x-id': 'user' })
})

test('what goes in is another component than what comes out where they differ, and only there', () => {
  const made = schemas()
  expect(made.use(body, 'input').properties).toEqual({
    person: { $ref: '#/components/schemas/Person.input' },
    plain: { $ref: '#/components/schemas/Plain' },
  })
  made.use(reply, 'output')
  expect(made.components['Person.input']!.required).toEqual(['id'])
  expect(made.components.Person!.required).toEqual(['id', 'name'])
  // One that has such a part differs as well.
  expect(made.use(Pair, 'input')).toEqual({ $ref: '#/components/schemas/Pair.input' })
})

test('only what is referred to is a component', () => {
  const made = schemas()
  made.use(Plain, 'output')
  expect(Object.keys(made.components)).toEqual(['Plain'])
})
