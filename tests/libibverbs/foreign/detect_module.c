/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A module for foreign_detect_test.c, which reads its imports. CMake builds
 * several variants, each with some of the definitions below.
 */
extern char detect_module_address;
char detect_module_address;

void *detect_module_pointer(void);
void detect_module_calls(void);

void ibv_cmd_create_cq_ex(void);
void ibv_cmd_create_cq_ex2(void);
void ibv_cmd_reg_mr_ex(void);
void ibv_cmd_export_dmabuf_fd(void);

/* A function that the module defines is not an import. */
void ibv_cmd_query_port_speed(void);
void ibv_cmd_query_port_speed(void)
{
}

void *detect_module_pointer(void)
{
#ifdef POINTS_TO_EXPORT_DMABUF
	return (void *)ibv_cmd_export_dmabuf_fd;
#else
	return (void *)ibv_cmd_query_port_speed;
#endif
}

void detect_module_calls(void)
{
#ifdef CALLS_CREATE_CQ_EX
	ibv_cmd_create_cq_ex();
#endif
#ifdef CALLS_CREATE_CQ_EX2
	ibv_cmd_create_cq_ex2();
#endif
#ifdef CALLS_REG_MR_EX
	ibv_cmd_reg_mr_ex();
#endif
#ifdef CALLS_EXPORT_DMABUF
	ibv_cmd_export_dmabuf_fd();
#endif
}
