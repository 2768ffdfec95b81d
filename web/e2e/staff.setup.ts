import { proveStaff, test } from './steps.ts'

// Once, before tests in two browsers at a time could do it twice.
test('the staff of this server have proven their address', ({ request }) => proveStaff(request))
