import { fileContracts } from '../files.ts'

// Uploads that resume, and links to them.

export const { createUpload, uploadOffset, continueUpload, deleteUpload, linkFile, revokeLink, openLink } = fileContracts('media')
