/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Application names of kernel ABI names: each ibv_ name below stands for the
 * ib_uverbs_ name of <infiniband/ib_user_ioctl_verbs.h>.
 *
 * Included by <infiniband/verbs.h>; there is no reason to include it alone.
 */
#ifndef VERBS_API_H
#define VERBS_API_H

#include <stdint.h>

#include <linux/types.h>

/*
 * A pointer member of a struct that is passed to the kernel unchanged. It
 * always has 64 bits: NAME is the pointer, NAME_data_u64 the whole field. A
 * 32-bit pointer is the low half of the number; the application must clear the
 * other half by writing NAME_data_u64 first.
 */
#ifndef RDMA_UAPI_PTR
#if __SIZEOF_POINTER__ == 8
#define RDMA_UAPI_PTR(_type, _name)             \
	__extension__ union {                   \
		_type _name;                    \
		__aligned_u64 _name##_data_u64; \
	}
#elif __SIZEOF_POINTER__ == 4 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define RDMA_UAPI_PTR(_type, _name)             \
	__extension__ union {                   \
		__extension__ struct {          \
			_type _name;            \
			__u32 _name##_reserved; \
		};                              \
		__aligned_u64 _name##_data_u64; \
	}
#elif __SIZEOF_POINTER__ == 4
#define RDMA_UAPI_PTR(_type, _name)             \
	__extension__ union {                   \
		__extension__ struct {          \
			__u32 _name##_reserved; \
			_type _name;            \
		};                              \
		__aligned_u64 _name##_data_u64; \
	}
#else
#error "pointers of this width do not fit into the kernel's structs"
#endif
#endif

#include <infiniband/ib_user_ioctl_verbs.h>

/* Ports: ibv_port_attr.flags */
#define IBV_QPF_GRH_REQUIRED IB_UVERBS_QPF_GRH_REQUIRED

/* Memory regions: the access flags a device may ignore */
#define IBV_ACCESS_OPTIONAL_RANGE IB_UVERBS_ACCESS_OPTIONAL_RANGE
#define IBV_ACCESS_OPTIONAL_FIRST IB_UVERBS_ACCESS_OPTIONAL_FIRST

/* Memory regions: ibv_advise_mr() */
#define ibv_advise_mr_advice	      ib_uverbs_advise_mr_advice
#define IBV_ADVISE_MR_ADVICE_PREFETCH IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH
#define IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE \
	IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE
#define IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT \
	IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT
#define IBV_ADVISE_MR_FLAG_FLUSH IB_UVERBS_ADVISE_MR_FLAG_FLUSH

/* Flow actions: ibv_create_flow_action_esp() */
#define ibv_flow_action_esp	  ib_uverbs_flow_action_esp
#define ibv_flow_action_esp_encap ib_uverbs_flow_action_esp_encap

#define ibv_flow_action_esp_flags ib_uverbs_flow_action_esp_flags
#define IBV_FLOW_ACTION_ESP_FLAGS_INLINE_CRYPTO \
	IB_UVERBS_FLOW_ACTION_ESP_FLAGS_INLINE_CRYPTO
#define IBV_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD \
	IB_UVERBS_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD
#define IBV_FLOW_ACTION_ESP_FLAGS_TUNNEL IB_UVERBS_FLOW_ACTION_ESP_FLAGS_TUNNEL
#define IBV_FLOW_ACTION_ESP_FLAGS_TRANSPORT \
	IB_UVERBS_FLOW_ACTION_ESP_FLAGS_TRANSPORT
#define IBV_FLOW_ACTION_ESP_FLAGS_DECRYPT \
	IB_UVERBS_FLOW_ACTION_ESP_FLAGS_DECRYPT
#define IBV_FLOW_ACTION_ESP_FLAGS_ENCRYPT \
	IB_UVERBS_FLOW_ACTION_ESP_FLAGS_ENCRYPT
#define IBV_FLOW_ACTION_ESP_FLAGS_ESN_NEW_WINDOW \
	IB_UVERBS_FLOW_ACTION_ESP_FLAGS_ESN_NEW_WINDOW

#define ibv_flow_action_esp_keymat ib_uverbs_flow_action_esp_keymat
#define IBV_FLOW_ACTION_ESP_KEYMAT_AES_GCM \
	IB_UVERBS_FLOW_ACTION_ESP_KEYMAT_AES_GCM
#define ibv_flow_action_esp_keymat_aes_gcm \
	ib_uverbs_flow_action_esp_keymat_aes_gcm
#define ibv_flow_action_esp_keymat_aes_gcm_iv_algo \
	ib_uverbs_flow_action_esp_keymat_aes_gcm_iv_algo
#define IBV_FLOW_ACTION_IV_ALGO_SEQ IB_UVERBS_FLOW_ACTION_IV_ALGO_SEQ

#define ibv_flow_action_esp_replay	ib_uverbs_flow_action_esp_replay
#define IBV_FLOW_ACTION_ESP_REPLAY_NONE IB_UVERBS_FLOW_ACTION_ESP_REPLAY_NONE
#define IBV_FLOW_ACTION_ESP_REPLAY_BMP	IB_UVERBS_FLOW_ACTION_ESP_REPLAY_BMP
#define ibv_flow_action_esp_replay_bmp	ib_uverbs_flow_action_esp_replay_bmp

#endif /* VERBS_API_H */
