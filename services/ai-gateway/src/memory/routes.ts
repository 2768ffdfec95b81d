import * as contract from '@operon/contracts/ai-gateway/memory'
import { serve } from '@operon/kit/http'
import type { FastifyInstance } from 'fastify'
import { deleteMemories, editMemory, memoryOf, switchMemory } from './memory.ts'

export function memoryRoutes(app: FastifyInstance) {
  serve(app, contract.aiMemory, memoryOf)
  serve(app, contract.aiMemorySwitch, switchMemory)
  serve(app, contract.aiMemoryEdit, editMemory)
  serve(app, contract.aiMemoryDelete, deleteMemories)
}
